//! How providers are asked over HTTP: the client, what of an answer is read, and what a failing connection means.

use std::error::Error as _;
use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::time::Instant;

use super::errors;
use super::provider::ProviderConfig;
use super::{ErrorKind, ModelError};

/// A client for one provider. It follows no redirects: they would take the key elsewhere.
pub fn client(config: &ProviderConfig) -> Result<Client, ModelError> {
    // Fails only if somebody has installed one, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // A compressed stream would come in lumps, and what is small on the wire could be endless here.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .connect_timeout(config.patience.connect)
        .user_agent(concat!("zubi/", env!("CARGO_PKG_VERSION")));
    if config.url.scheme() == "http" {
        // It is on this machine or network, where no proxy is; and the system's certificates need not be there.
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        let why = format!("{} cannot be asked over {}: {}", config.provider, config.url.scheme(), cause(&error));
        ModelError::new(ErrorKind::Unreachable, why)
    })
}

/// Waits for something of the provider's, as long as it may be silent.
pub async fn with_timeout<T>(config: &ProviderConfig, future: impl Future<Output = T>) -> Result<T, ModelError> {
    let idle = config.patience.idle;
    tokio::time::timeout(idle, future).await.map_err(|_| {
        let why = format!("{} said nothing for {}", config.provider, seconds(idle));
        ModelError::new(ErrorKind::TimedOut, why)
    })
}

/// How long one answer is still waited for.
pub struct ResponseTimeouts<'a> {
    config: &'a ProviderConfig,
    began: Instant,
    /// How much has been said so far, in whatever is counted, and when the last of it was.
    said: (u64, Instant),
    /// Until when the rest of an answer that is whole may come.
    finish: Option<Instant>,
}

impl<'a> ResponseTimeouts<'a> {
    /// The response is there.
    pub fn new(config: &'a ProviderConfig) -> Self {
        let now = Instant::now();
        Self { config, began: now, said: (0, now), finish: None }
    }

    /// So much has been said in all. What only keeps the connection alive does not count.
    pub fn on_progress(&mut self, said: u64) {
        if said != self.said.0 {
            self.said = (said, Instant::now());
        }
    }

    /// The answer is whole. What else there is may come for so long, counted from the first time that this is said.
    pub fn has_finished(&mut self, rest: Duration) {
        self.finish.get_or_insert_with(|| Instant::now() + rest.min(self.config.patience.idle));
    }

    /// Waits for something of an answer; in silence for `idle` at most.
    pub async fn wait<T>(&self, idle: Duration, future: impl Future<Output = T>) -> Result<T, ModelError> {
        let patience = self.config.patience;
        // A user who waits for longer in silence does so in any case.
        let (kept_alive, answer) = (patience.kept_alive.max(patience.idle), patience.answer.max(patience.idle));
        let now = Instant::now();
        let (end, silence) = (self.began + answer, self.said.1 + kept_alive);
        let until = end.min(silence);
        // What is there at once each time would never be late.
        let waited =
            if now >= until { None } else { tokio::time::timeout_at(until.min(now + idle), future).await.ok() };
        waited.ok_or_else(|| {
            let provider = &self.config.provider;
            let now = Instant::now();
            let why = if now >= end {
                format!("{provider} was not done with its answer after {}", seconds(answer))
            } else if now >= silence {
                format!("{provider} said nothing for {}, and only kept the connection alive", seconds(kept_alive))
            } else {
                format!("{provider} said nothing for {}", seconds(idle))
            };
            ModelError::new(ErrorKind::TimedOut, why)
        })
    }

    /// The next bytes; none at the end, and none when the answer is whole and no more is waited for.
    pub async fn chunk(&self, response: &mut Response) -> Result<Option<Vec<u8>>, ModelError> {
        let chunk = match self.finish {
            Some(until) if Instant::now() >= until => None,
            // Nothing is missing from it, however its connection ends.
            Some(until) => tokio::time::timeout_at(until, response.chunk()).await.ok().and_then(Result::ok).flatten(),
            None => self
                .wait(self.config.patience.idle, response.chunk())
                .await?
                .map_err(|error| not_read(self.config, &error))?,
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

/// No response came.
pub fn not_sent(config: &ProviderConfig, error: &reqwest::Error) -> ModelError {
    let address = place(&config.url);
    if error.is_connect() || error.is_timeout() {
        let why = format!("{} cannot be reached at {address}: {}", config.provider, cause(error));
        return ModelError::new(ErrorKind::Unreachable, why);
    }
    let why = format!("{} at {address} gave no answer: {}", config.provider, cause(error));
    ModelError::new(ErrorKind::BrokenOff, why)
}

/// The response ended in the middle.
pub fn not_read(config: &ProviderConfig, error: &reqwest::Error) -> ModelError {
    let why = format!("the answer of {} broke off before its end: {}", config.provider, cause(error));
    ModelError::new(ErrorKind::BrokenOff, why)
}

/// An address without anything that may be secret.
fn place(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// The innermost cause, which is the one that says something. It has no address in it.
fn cause(error: &reqwest::Error) -> String {
    let Some(mut cause) = error.source() else { return "it failed".to_owned() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// At most so many bytes of a body; whether there are more does not show.
pub async fn read(config: &ProviderConfig, response: &mut Response, most: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    // All of it is waited for once: one byte now and then would be waited for for ever.
    let whole = async {
        while let Some(chunk) = response.chunk().await.map_err(|error| not_read(config, &error))? {
            bytes.extend(chunk.iter().take(most - bytes.len()));
            if bytes.len() >= most {
                break;
            }
        }
        Ok(())
    };
    with_timeout(config, whole).await??;
    Ok(bytes)
}

/// The text that a question comes to which no model thinks about, as far as so many bytes.
pub async fn text(config: &ProviderConfig, question: RequestBuilder, most: usize) -> Result<String, ModelError> {
    let question = question.headers(config.headers_with_key()?);
    let mut response = with_timeout(config, question.send()).await?.map_err(|error| not_sent(config, &error))?;
    if !response.status().is_success() {
        return Err(refusal(config, response).await);
    }
    Ok(String::from_utf8_lossy(&read(config, &mut response, most).await?).into_owned())
}

/// What a response whose status is no success means. As much of its body as can be read is.
pub async fn refusal(config: &ProviderConfig, mut response: Response) -> ModelError {
    let body = read(config, &mut response, errors::MAX_BODY).await.unwrap_or_default();
    let body = String::from_utf8_lossy(&body);
    errors::of_response(&config.provider, response.status().as_u16(), response.headers(), &body, &config.redactor())
}
