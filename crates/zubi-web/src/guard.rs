//! Access control: admits only pages of this server that were opened through the printed address.
//!
//! Every web page that the user has open can send requests to a port of this machine, and every user of the machine
//! can. So the server accepts a request only if
//!
//! - it names this server as its host: this refuses foreign names that resolve to 127.0.0.1 (DNS rebinding);
//! - it comes from a page of this server, if the browser sends the origin;
//! - it carries the token, unless it is for the page's files, which contain no user data. The token is in the fragment
//!   of the printed address, so it is in no request line, no log and no `Referer`; there is no cookie that a browser
//!   would add to the request of another page.

use std::fmt;
use std::io;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use sha2::{Digest as _, Sha256};
use zubi_base::random;

/// The header with the relation of a request to its target. Browsers omit `Origin` for some requests.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The reason why the server refuses a request, with the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestRefusal {
    pub(crate) status: StatusCode,
    pub(crate) text: &'static str,
}

const FOREIGN_HOST: RequestRefusal = RequestRefusal {
    status: StatusCode::FORBIDDEN,
    text: "zubi answers under the address that `zubi web` printed, and under no other name. Open that address.",
};
const FOREIGN_ORIGIN: RequestRefusal = RequestRefusal {
    status: StatusCode::FORBIDDEN,
    text: "Requests of other pages are refused. Open the address that `zubi web` printed.",
};
const NO_TOKEN: RequestRefusal = RequestRefusal {
    status: StatusCode::UNAUTHORIZED,
    text: "This request has no valid token. Open the whole address that `zubi web` printed, with what follows the `#`.",
};

/// A token of 256 random bits, as 64 hexadecimal digits. `Debug` output hides them.
#[derive(Clone)]
pub(crate) struct AccessToken(String);

impl AccessToken {
    pub(crate) fn random() -> io::Result<Self> {
        Ok(Self(random::hex::<32>()?))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares digests: the time of the comparison reveals nothing about the token, since an attacker cannot choose
    /// the prefix of a digest.
    fn matches(&self, token: &str) -> bool {
        Sha256::digest(token.as_bytes()) == Sha256::digest(self.0.as_bytes())
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The conditions that the server checks for requests.
#[derive(Debug)]
pub(crate) struct AccessGuard {
    token: AccessToken,
    hosts: [String; 2],
}

impl AccessGuard {
    pub(crate) fn new(token: AccessToken, port: u16) -> Self {
        Self { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// Checks that a request names this server as its host. Required for every request.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), RequestRefusal> {
        let host = single_header(headers, &HOST).ok_or(FOREIGN_HOST)?;
        if self.hosts.iter().any(|own| own == host) { Ok(()) } else { Err(FOREIGN_HOST) }
    }

    /// Checks the origin and the token. Required for every request except for the page's files, after
    /// [`Self::check_host`].
    pub(crate) fn check_caller(&self, headers: &HeaderMap) -> Result<(), RequestRefusal> {
        let own = single_header(headers, &HOST).map(|host| format!("http://{host}"));
        if headers.contains_key(ORIGIN) && single_header(headers, &ORIGIN) != own.as_deref() {
            return Err(FOREIGN_ORIGIN);
        }
        if headers.contains_key(FETCH_SITE) && single_header(headers, &FETCH_SITE) != Some("same-origin") {
            return Err(FOREIGN_ORIGIN);
        }
        let token =
            single_header(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).ok_or(NO_TOKEN)?;
        if self.token.matches(token) { Ok(()) } else { Err(NO_TOKEN) }
    }
}

/// Returns the value of a header that occurs once. A repeated header is ambiguous and counts as missing.
pub(crate) fn single_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}
