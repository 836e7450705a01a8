//! TLS for the connection to PostgreSQL, with the certificates that the machine trusts or those of a file.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use camino::Utf8Path;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use zubi_base::fs::ReadError;

use super::error::TeamIndexError;

/// Creates connectors. It verifies the name and the certificate of every server.
#[derive(Clone)]
pub(super) struct TlsSettings(Arc<ClientConfig>);

impl TlsSettings {
    /// Reads the certificates of a file in PEM, or those that the machine trusts.
    pub(super) fn new(root_certificates: Option<&Utf8Path>) -> Result<Self, TeamIndexError> {
        let mut roots = RootCertStore::empty();
        match root_certificates {
            Some(file) => read_certificates(file, &mut roots)?,
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|_| TeamIndexError::Tls("there is no version of TLS".to_owned()))?;
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        // A server requires it if the connection begins with TLS (`sslnegotiation=direct`).
        config.alpn_protocols = vec![b"postgresql".to_vec()];
        Ok(Self(Arc::new(config)))
    }
}

/// Adds the certificates of a file. The path is part of the connection string, so that no error has it.
fn read_certificates(file: &Utf8Path, roots: &mut RootCertStore) -> Result<(), TeamIndexError> {
    // A relative path would name a file of the workspace.
    if !file.is_absolute() {
        return Err(TeamIndexError::Certificates("its path is not absolute".to_owned()));
    }
    let bytes = zubi_base::fs::read_bytes(file).map_err(|error| {
        TeamIndexError::Certificates(match error {
            ReadError::NotFound { .. } => "it does not exist".to_owned(),
            ReadError::Io { source, .. } => format!("it cannot be read ({})", source.kind()),
            _ => "it cannot be read".to_owned(),
        })
    })?;
    let invalid = || TeamIndexError::Certificates("a certificate in it is invalid".to_owned());
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        roots.add(certificate.map_err(|_| invalid())?).map_err(|_| invalid())?;
    }
    if roots.is_empty() {
        return Err(TeamIndexError::Certificates("it has no certificate in the format PEM".to_owned()));
    }
    Ok(())
}

/// Describes a failure of TLS, with the next step.
pub(super) fn describe_failure(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidCertificate(error) => match error {
            CertificateError::UnknownIssuer => {
                "no trusted authority has signed the server's certificate; `sslrootcert=FILE` in the connection string names the file of another authority"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another host than that of the connection string"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired; an administrator renews it"
            }
            _ => "the server's certificate is invalid",
        },
        _ => "the server and zubi do not agree on TLS",
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for TlsSettings {
    type Stream = EncryptedStream<S>;
    type TlsConnect = TlsConnector;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<TlsConnector> {
        // A Unix socket has no name, and no TLS either.
        Ok(TlsConnector { config: Arc::clone(&self.0), server: ServerName::try_from(domain.to_owned()).ok() })
    }
}

/// Connects to one server.
pub(super) struct TlsConnector {
    config: Arc<ClientConfig>,
    server: Option<ServerName<'static>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for TlsConnector {
    type Stream = EncryptedStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let connector = tokio_rustls::TlsConnector::from(self.config);
        Box::pin(async move {
            let server = self.server.ok_or(io::ErrorKind::InvalidInput)?;
            Ok(EncryptedStream(connector.connect(server, stream).await?))
        })
    }
}

/// A connection with TLS.
pub(super) struct EncryptedStream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        // The certificate is verified, so no other program is between the two ends.
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
