//! HTTP requests to providers: the client, how much of an answer is read, and the meaning of connection errors.

use std::error::Error as _;
use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::time::Instant;

use super::errors;
use super::provider::ProviderConfig;
use super::{ErrorKind, ModelError};

/// Creates a client for one provider. It follows no redirects: they would send the key elsewhere.
pub fn client(config: &ProviderConfig) -> Result<Client, ModelError> {
    // Fails only if a crypto provider is installed already, which works as well.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // A compressed stream would arrive in bursts, and a small response could expand without limit.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .connect_timeout(config.timeouts.connect)
        .user_agent(concat!("zubi/", env!("CARGO_PKG_VERSION")));
    if config.url.scheme() == "http" {
        // The host is on this machine or network, which needs no proxy; and the system's certificates may be missing.
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        let why = format!("{} cannot be called over {}: {}", config.provider, config.url.scheme(), cause(&error));
        ModelError::new(ErrorKind::Unreachable, why)
    })
}

/// Waits for a response of the provider, up to the idle time-out.
pub async fn with_timeout<T>(config: &ProviderConfig, future: impl Future<Output = T>) -> Result<T, ModelError> {
    let idle = config.timeouts.idle;
    tokio::time::timeout(idle, future).await.map_err(|_| {
        let why = format!("{} sent nothing for {}", config.provider, seconds(idle));
        ModelError::new(ErrorKind::TimedOut, why)
    })
}

/// The time-outs of one answer.
pub struct ResponseTimeouts<'a> {
    config: &'a ProviderConfig,
    started: Instant,
    /// The amount of output so far, in any unit, and the time of the last increase.
    last_progress: (u64, Instant),
    /// The deadline for the rest of a complete answer.
    finish: Option<Instant>,
}

impl<'a> ResponseTimeouts<'a> {
    /// Starts the time-outs when the response arrives.
    pub fn new(config: &'a ProviderConfig) -> Self {
        let now = Instant::now();
        Self { config, started: now, last_progress: (0, now), finish: None }
    }

    /// Reports the total amount of output so far. Heartbeats of the connection do not count.
    pub fn on_progress(&mut self, total: u64) {
        if total != self.last_progress.0 {
            self.last_progress = (total, Instant::now());
        }
    }

    /// Marks the answer as complete. The rest of the response may take this long, counted from the first call.
    pub fn finish_within(&mut self, rest: Duration) {
        self.finish.get_or_insert_with(|| Instant::now() + rest.min(self.config.timeouts.idle));
    }

    /// Waits for the next part of an answer, for at most `idle`.
    pub async fn wait<T>(&self, idle: Duration, future: impl Future<Output = T>) -> Result<T, ModelError> {
        let timeouts = self.config.timeouts;
        // A user's longer idle time-out overrides the other two.
        let (heartbeats, answer) = (timeouts.heartbeats_only.max(timeouts.idle), timeouts.answer.max(timeouts.idle));
        let now = Instant::now();
        let (end, silence) = (self.started + answer, self.last_progress.1 + heartbeats);
        let deadline = end.min(silence);
        // A future that is always ready would never time out.
        let outcome =
            if now >= deadline { None } else { tokio::time::timeout_at(deadline.min(now + idle), future).await.ok() };
        outcome.ok_or_else(|| {
            let provider = &self.config.provider;
            let now = Instant::now();
            let why = if now >= end {
                format!("{provider} did not finish its answer within {}", seconds(answer))
            } else if now >= silence {
                format!("{provider} sent nothing but heartbeats for {}", seconds(heartbeats))
            } else {
                format!("{provider} sent nothing for {}", seconds(idle))
            };
            ModelError::new(ErrorKind::TimedOut, why)
        })
    }

    /// Returns the next bytes; `None` at the end, or when the answer is complete and the wait for the rest is over.
    pub async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>, ModelError> {
        let chunk = match self.finish {
            Some(deadline) if Instant::now() >= deadline => None,
            // The answer is complete, so errors of the connection no longer matter.
            Some(deadline) => {
                tokio::time::timeout_at(deadline, response.chunk()).await.ok().and_then(Result::ok).flatten()
            }
            None => self
                .wait(self.config.timeouts.idle, response.chunk())
                .await?
                .map_err(|error| read_error(self.config, &error))?,
        };
        Ok(chunk.map(Vec::from))
    }
}

fn seconds(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

/// Returns the error for a request without a response.
pub fn send_error(config: &ProviderConfig, error: &reqwest::Error) -> ModelError {
    let address = url_without_query(&config.url);
    if error.is_connect() || error.is_timeout() {
        let why = format!("{} cannot be reached at {address}: {}", config.provider, cause(error));
        return ModelError::new(ErrorKind::Unreachable, why);
    }
    let why = format!("{} at {address} gave no answer: {}", config.provider, cause(error));
    ModelError::new(ErrorKind::BrokenOff, why)
}

/// Returns the error for a response that ended early.
pub fn read_error(config: &ProviderConfig, error: &reqwest::Error) -> ModelError {
    let why = format!("the answer of {} broke off before its end: {}", config.provider, cause(error));
    ModelError::new(ErrorKind::BrokenOff, why)
}

/// Returns the address without parts that may be secret.
fn url_without_query(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// Returns the innermost cause, which is the most specific one. It contains no address.
fn cause(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "it failed".to_owned() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// Reads at most `max_bytes` bytes of a body; does not report whether there are more.
pub async fn read(config: &ProviderConfig, response: &mut Response, max_bytes: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    // One time-out for the whole body: with one per read, a slow trickle of bytes would never end.
    let reading = async {
        while let Some(chunk) = response.chunk().await.map_err(|error| read_error(config, &error))? {
            bytes.extend(chunk.iter().take(max_bytes - bytes.len()));
            if bytes.len() >= max_bytes {
                break;
            }
        }
        Ok(())
    };
    with_timeout(config, reading).await??;
    Ok(bytes)
}

/// Returns the text of a response that needs no inference, up to `max_bytes` bytes.
pub async fn text(config: &ProviderConfig, request: RequestBuilder, max_bytes: usize) -> Result<String, ModelError> {
    let request = request.headers(config.headers_with_key()?);
    let mut response = with_timeout(config, request.send()).await?.map_err(|error| send_error(config, &error))?;
    if !response.status().is_success() {
        return Err(refusal(config, response).await);
    }
    Ok(String::from_utf8_lossy(&read(config, &mut response, max_bytes).await?).into_owned())
}

/// Converts a response with an error status, with as much of its body as can be read.
pub async fn refusal(config: &ProviderConfig, mut response: Response) -> ModelError {
    let body = read(config, &mut response, errors::MAX_BODY).await.unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    errors::from_response(&config.provider, response.status().as_u16(), response.headers(), &body, &config.redactor())
}
