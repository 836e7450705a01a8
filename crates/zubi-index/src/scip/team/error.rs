//! The reasons why a team's data cannot be used. No text has a part of the connection string: a server's own messages can
//! repeat it, so only their codes are shown.

use std::error::Error as _;
use std::io;

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::error::SqlState;
use zubi_code::exact_index::ExactIndexError;

use super::tls;

/// The reason why a team's data cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TeamIndexError {
    /// The text says where the connection string is from.
    #[error(
        "{0} is not a connection string; write `postgresql://USER@HOST/DATABASE` or `host=HOST user=USER dbname=DATABASE`"
    )]
    ConnectionString(String),
    #[error("no connection to the server: {0}")]
    Unreachable(String),
    /// The text says why TLS cannot be used, with the next step.
    #[error("no secure connection to the server: {0}")]
    Tls(String),
    /// The text says why the certificates cannot be used. It has no path.
    #[error("the file of `sslrootcert` cannot be used: {0}")]
    Certificates(String),
    #[error("the server refuses the user or the password of the connection string")]
    Refused,
    #[error("the server has no such database")]
    NoDatabase,
    #[error("the database has no tables of zubi; `zubi index push --create-schema` creates them")]
    NoSchema,
    #[error("the tables are those of version {0}, and this zubi needs version {needed}", needed = super::SCHEMA_VERSION)]
    OtherSchema(i32),
    #[error(
        "the role of the connection may not do this; an administrator grants `zubi_reader` or `zubi_writer` and adds a row to `zubi.access`"
    )]
    Forbidden,
    #[error("the server did not answer within the time limit")]
    TimeLimit,
    #[error("another connection locks the data, such as a push to this repository; try again when it has finished")]
    Locked,
    #[error("the data are damaged: {0}")]
    Damaged(String),
    #[error("two contents have the same id, so this file cannot be pushed")]
    Collision,
    /// The text is a code of PostgreSQL (`SQLSTATE`), or the kind of a failure of the protocol.
    #[error("the server reports an error ({0})")]
    Server(String),
    /// An error that another attempt may not meet: of the connection, of concurrency, of resources, or by an operator.
    #[error("the server reports an error for now ({0})")]
    Temporary(String),
}

impl From<TeamIndexError> for ExactIndexError {
    fn from(error: TeamIndexError) -> Self {
        match error {
            TeamIndexError::Unreachable(_)
            | TeamIndexError::TimeLimit
            | TeamIndexError::Locked
            | TeamIndexError::Temporary(_) => Self::Unreachable(error.to_string()),
            _ => Self::Unusable(error.to_string()),
        }
    }
}

impl From<tokio_postgres::Error> for TeamIndexError {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(code) = error.code() {
            return from_code(code);
        }
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(cause) = cause.downcast_ref::<io::Error>() {
                if let Some(failure) = cause.get_ref().and_then(|inner| inner.downcast_ref()) {
                    return Self::Tls(tls::describe_failure(failure).to_owned());
                }
                return match cause.kind() {
                    io::ErrorKind::TimedOut => Self::TimeLimit,
                    io::ErrorKind::NotFound => Self::Unreachable("its socket does not exist".to_owned()),
                    // The resolver of names has no kinds of errors.
                    kind if kind.to_string() == "uncategorized error" => {
                        Self::Unreachable("its host is unknown, or there is no network".to_owned())
                    }
                    kind => Self::Unreachable(kind.to_string()),
                };
            }
            // tokio-postgres has no other mark of this error.
            if cause.to_string() == "server does not support TLS" {
                return Self::Tls(
                    "it does not support TLS; `sslmode=disable` in the connection string connects without".to_owned(),
                );
            }
            source = cause.source();
        }
        if error.is_closed() {
            return Self::Unreachable("connection closed".to_owned());
        }
        // The text of the error itself has none of its causes.
        Self::Server(error.to_string())
    }
}

fn from_code(code: &SqlState) -> TeamIndexError {
    match code.code() {
        "28000" | "28P01" => TeamIndexError::Refused,
        "3D000" => TeamIndexError::NoDatabase,
        "3F000" | "42P01" => TeamIndexError::NoSchema,
        "42501" => TeamIndexError::Forbidden,
        "55P03" => TeamIndexError::Locked,
        "57014" => TeamIndexError::TimeLimit,
        "57P01" | "57P02" | "57P03" => TeamIndexError::Unreachable("the server starts or stops".to_owned()),
        "53300" => TeamIndexError::Unreachable("the server has too many connections".to_owned()),
        other => match other.get(..2) {
            // The classes of SQLSTATE in PostgreSQL's documentation, appendix A.
            Some("08" | "40" | "53" | "57") => TeamIndexError::Temporary(format!("SQLSTATE {other}")),
            _ => TeamIndexError::Server(format!("SQLSTATE {other}")),
        },
    }
}

impl From<PoolError> for TeamIndexError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Timeout(TimeoutType::Wait) => Self::Unreachable("all connections are in use".to_owned()),
            PoolError::Timeout(_) => Self::TimeLimit,
            _ => Self::Unreachable("there is no pool of connections".to_owned()),
        }
    }
}
