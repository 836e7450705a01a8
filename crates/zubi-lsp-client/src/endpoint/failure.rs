//! The failure of one run of a server, which another run may repair.

use zubi_base::endpoint::EndpointError;

/// The reason why one run of a server returned no response.
pub(super) enum RunFailure {
    /// The server died meanwhile; another run may answer.
    Died(String),
    Final(EndpointError),
}

impl From<EndpointError> for RunFailure {
    fn from(error: EndpointError) -> Self {
        Self::Final(error)
    }
}
