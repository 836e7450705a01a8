//! HTTP requests of tools: one request, its redirects, and a bounded response.
//!
//! The policy has already decided whether the host is allowed. This module checks what only the connecting code can
//! know: the address that a name has *now*. It refuses an address of this machine, of a private network or of a cloud's
//! metadata service unless [`HttpRequest::hosts`] names its host. The check is in the resolver of the connection
//! itself, so that a name cannot have one address during the check and another one afterwards.
//!
//! - `http` and `https` only; no user and password in the URL.
//! - At most [`MAX_REDIRECTS`] redirects, each checked like a first request. A host other than the requested one must
//!   be in [`HttpRequest::hosts`], and gets no secret header, no cookie, no `Authorization`, and never a body. A
//!   redirect from `https` to `http` is refused.
//! - Proxies of the environment are ignored: through one, this module would not know the address.
//! - Requests accept no compression, so that a small response cannot expand to a large one.

use std::error::Error as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Once};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

mod address;
mod body;
pub mod mock_server;

#[cfg(test)]
mod tests;

pub use body::RenderedBody;

/// The maximum number of redirects. Browsers follow twenty; an API that needs more than a few is in a loop.
pub const MAX_REDIRECTS: usize = 5;

/// The default maximum size of a response's body, in bytes.
pub const MAX_BODY: usize = 4 * 1024 * 1024;

/// The default time-out of a whole request.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// One header of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    pub name: String,
    pub value: String,
    /// Whether the header contains a secret; it is then sent to no other host.
    pub secret: bool,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method, such as `GET` or `POST`, in any case.
    pub method: String,
    pub url: String,
    pub headers: Vec<RequestHeader>,
    /// The body, sent as `application/json` unless a header sets another type. `GET` and `HEAD` have none.
    pub body: Option<Vec<u8>>,
    /// Hosts that may have addresses outside the public network, and that may be the target of a redirect: `name`,
    /// `name:port`, `*.name`.
    pub hosts: Vec<String>,
    pub timeout: Duration,
    /// The maximum size of the response's body, in bytes.
    pub max_body: usize,
}

impl HttpRequest {
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: None,
            hosts: Vec::new(),
            timeout: TIMEOUT,
            max_body: MAX_BODY,
        }
    }
}

/// A response, with any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    pub status: u16,
    /// The URL of the response, after redirects. This module does not know whether it contains secrets.
    pub url: String,
    pub redirects: usize,
    pub content_type: Option<String>,
    /// The first bytes of the body, at most [`HttpRequest::max_body`].
    pub bytes: Vec<u8>,
    /// Whether the body was longer.
    pub truncated: bool,
}

impl HttpAnswer {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Renders the body for a reader.
    pub fn body(&self) -> RenderedBody {
        body::read(&self.bytes, self.content_type.as_deref(), !self.truncated)
    }
}

/// The reason why there is no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    #[error("`{method}` is not a supported method; use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS")]
    Method { method: String },
    #[error("the URL cannot be used: {reason}")]
    Url { reason: String },
    #[error("the header `{name}` cannot be sent: its name or its value has characters that no header has")]
    Header { name: String },
    #[error("`{host}` is at {address}, a {kind} address; name the host in `hosts` if it is meant")]
    Address { host: String, address: IpAddr, kind: &'static str },
    #[error("the response redirects to `{host}`, which is not the requested host; name it in `hosts` to allow it")]
    RedirectHost { host: String },
    #[error("the answer leads from https to http")]
    Downgrade,
    #[error("the answer leads to another host, and the body would be sent there")]
    RedirectBody,
    #[error("there are more than {MAX_REDIRECTS} redirects")]
    TooManyRedirects,
    #[error("no answer within {} s", .after.as_secs_f32())]
    TimedOut { after: Duration },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("`{host}` cannot be reached: {reason}")]
    Connect { host: String, reason: String },
    #[error("`{host}` did not return a valid HTTP response: {reason}")]
    Protocol { host: String, reason: String },
}

/// Resolves names to addresses. Callers pass it down, so that tests can choose the addresses.
pub trait AddressLookup: Send + Sync {
    /// Returns all addresses of `name`, in the order in which to try them.
    fn lookup(&self, name: String) -> std::pin::Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl AddressLookup for SystemLookup {
    fn lookup(&self, name: String) -> std::pin::Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Sends a request and follows its redirects. Dropping the future ends the connection.
pub async fn send(
    request: &HttpRequest,
    lookup: &Arc<dyn AddressLookup>,
    cancel: &CancellationToken,
) -> Result<HttpAnswer, HttpError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(HttpError::Cancelled),
        answer = tokio::time::timeout(request.timeout, follow(request, lookup)) => {
            answer.unwrap_or(Err(HttpError::TimedOut { after: request.timeout }))
        }
    }
}

async fn follow(request: &HttpRequest, lookup: &Arc<dyn AddressLookup>) -> Result<HttpAnswer, HttpError> {
    let mut method = method(&request.method)?;
    let mut url = parse(&request.url)?;
    let mut headers = headers(request, false)?;
    let mut body = request.body.clone().filter(|_| method != Method::GET && method != Method::HEAD);
    for redirects in 0..=MAX_REDIRECTS {
        let host = host_of(&url)?;
        let port = url.port_or_known_default().unwrap_or_default();
        let allows_special = address::is_named(&request.hosts, &host, port);
        check_literal(&host, allows_special)?;
        let client = client(&url, Arc::clone(lookup), allows_special)?;
        let mut sending = client.request(method.clone(), url.clone()).headers(headers.clone());
        if let Some(body) = &body {
            sending = sending.body(body.clone());
        }
        let response = sending.send().await.map_err(|error| failure(&host, &error))?;
        let Some(next) = redirect(&response, &url)? else {
            return read(response, redirects, request.max_body, &host).await;
        };
        if url.scheme() == "https" && next.scheme() == "http" {
            return Err(HttpError::Downgrade);
        }
        let see_other = response.status() == StatusCode::SEE_OTHER
            || (method == Method::POST
                && matches!(response.status(), StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND));
        if see_other && method != Method::HEAD {
            method = Method::GET;
            body = None;
            headers.remove(header::CONTENT_TYPE);
        }
        if next.origin() != url.origin() {
            let next_host = host_of(&next)?;
            let is_same_origin = next_host == host && next.port_or_known_default() == Some(port);
            // Redirects from http to https of the same name are common.
            let is_upgrade = next_host == host && url.scheme() == "http" && next.scheme() == "https";
            let is_named =
                address::is_named(&request.hosts, &next_host, next.port_or_known_default().unwrap_or_default());
            if !is_same_origin && !is_upgrade && !is_named {
                return Err(HttpError::RedirectHost { host: next.origin().ascii_serialization() });
            }
            if body.is_some() && !is_upgrade {
                return Err(HttpError::RedirectBody);
            }
            headers = self::headers(request, true)?;
        }
        url = next;
    }
    Err(HttpError::TooManyRedirects)
}

fn method(name: &str) -> Result<Method, HttpError> {
    let method = Method::from_bytes(name.to_ascii_uppercase().as_bytes()).ok();
    method
        .filter(|method| matches!(method.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS"))
        .ok_or_else(|| HttpError::Method { method: name.to_owned() })
}

fn parse(text: &str) -> Result<Url, HttpError> {
    let url = Url::parse(text).map_err(|error| HttpError::Url { reason: error.to_string() })?;
    check_url(url)
}

fn check_url(url: Url) -> Result<Url, HttpError> {
    let reason = if !matches!(url.scheme(), "http" | "https") {
        format!("`{}` is neither http nor https", url.scheme())
    } else if !url.username().is_empty() || url.password().is_some() {
        "it contains a user or a password; use the header `Authorization`".to_owned()
    } else {
        return Ok(url);
    };
    Err(HttpError::Url { reason })
}

/// Returns the `host:port` of a URL, in the form of [`HttpRequest::hosts`].
pub fn host_and_port(url: &str) -> Result<String, HttpError> {
    let url = parse(url)?;
    let host = host_of(&url)?;
    Ok(format!("{host}:{}", url.port_or_known_default().unwrap_or_default()))
}

fn host_of(url: &Url) -> Result<String, HttpError> {
    url.host_str().map(str::to_owned).ok_or_else(|| HttpError::Url { reason: "it has no host".to_owned() })
}

/// Checks an address in the URL itself, which no resolver sees. `Url` has already normalized forms such as `0x7f.1` and
/// `2130706433`.
fn check_literal(host: &str, allows_special: bool) -> Result<(), HttpError> {
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let Ok(address) = literal.parse::<IpAddr>() else { return Ok(()) };
    match address::special_kind(address) {
        Some(kind) if !allows_special => Err(HttpError::Address { host: host.to_owned(), address, kind }),
        _ => Ok(()),
    }
}

fn headers(request: &HttpRequest, elsewhere: bool) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    for RequestHeader { name, value, secret } in &request.headers {
        let refused = || HttpError::Header { name: name.clone() };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
        // Headers that only this module may set: the length of the message, its transfer and its host.
        if [header::HOST, header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::UPGRADE]
            .contains(&key)
        {
            return Err(refused());
        }
        let credential = [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION].contains(&key);
        let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refused())?;
        if elsewhere && (*secret || credential) {
            continue;
        }
        value.set_sensitive(*secret || credential);
        headers.append(key, value);
    }
    if request.body.is_some() && !headers.contains_key(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(headers)
}

/// Creates a client for one connection: the allowed addresses depend on the host.
fn client(url: &Url, lookup: Arc<dyn AddressLookup>, allows_special: bool) -> Result<Client, HttpError> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Fails only if a provider is already installed, which is fine.
        drop(rustls::crypto::ring::default_provider().install_default());
    });
    let mut builder = Client::builder()
        .dns_resolver(Arc::new(AddressGuard { lookup, allows_special }))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .http1_only()
        .pool_max_idle_per_host(0)
        .user_agent(concat!("zubi/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // Without https, the system's certificates are not needed and may be missing.
        builder = builder.tls_certs_only([]);
    }
    builder
        .build()
        .map_err(|error| HttpError::Connect { host: host_of(url).unwrap_or_default(), reason: causes(&error) })
}

/// A resolver that returns only allowed addresses.
struct AddressGuard {
    lookup: Arc<dyn AddressLookup>,
    allows_special: bool,
}

impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        let found = self.lookup.lookup(name.clone());
        let allows_special = self.allows_special;
        Box::pin(async move {
            let found = found.await?;
            let non_public =
                found.iter().find_map(|address| address::special_kind(*address).map(|kind| (*address, kind)));
            let permitted: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| allows_special || address::special_kind(*address).is_none())
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            match non_public {
                Some((address, kind)) if permitted.is_empty() => {
                    Err(HttpError::Address { host: name, address, kind }.into())
                }
                _ => Ok(Box::new(permitted.into_iter()) as Addrs),
            }
        })
    }
}

/// Returns the target of a redirect, if there is one.
fn redirect(response: &Response, from: &Url) -> Result<Option<Url>, HttpError> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(header::LOCATION).and_then(|location| location.to_str().ok()) else {
        return Ok(None);
    };
    let next = from
        .join(location)
        .map_err(|error| HttpError::Url { reason: format!("the answer leads to no URL: {error}") })?;
    check_url(next).map(Some)
}

async fn read(mut response: Response, redirects: usize, max: usize, host: &str) -> Result<HttpAnswer, HttpError> {
    let status = response.status().as_u16();
    let url = response.url().to_string();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    let mut truncated = false;
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(host, &error))? {
        let remaining = max.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..remaining.min(chunk.len())).unwrap_or_default());
        if chunk.len() > remaining {
            truncated = true;
            break;
        }
    }
    Ok(HttpAnswer { status, url, redirects, content_type, bytes, truncated })
}

/// Describes an error without the URL, which may contain a secret.
fn failure(host: &str, error: &reqwest::Error) -> HttpError {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(refused) = inner.downcast_ref::<HttpError>() {
            return refused.clone();
        }
        cause = inner.source();
    }
    let (host, reason) = (host.to_owned(), causes(error));
    if error.is_connect() { HttpError::Connect { host, reason } } else { HttpError::Protocol { host, reason } }
}

/// Returns the message of the innermost cause, which is the most detailed.
fn causes(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
