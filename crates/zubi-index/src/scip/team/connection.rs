//! The connections to a team's database.

use std::fmt;
use std::net::IpAddr;
use std::ops::Deref;
use std::str::FromStr as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio::runtime::Handle;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use zubi_base::sync::lock;

use super::SCHEMA_VERSION;
use super::error::TeamIndexError;
use super::options::LibpqOptions;
use super::tls::TlsSettings;

/// The number of connections of a process. A query takes less than ten milliseconds.
const MAX_CONNECTIONS: usize = 4;

/// The time limit of a connection to the server, and of the wait for one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The time without an attempt after a server that did not answer at all. One that refuses connections does so at once.
const PAUSE: Duration = Duration::from_secs(30);

/// The beginning of a query's transaction: all its statements see the same snapshots, and none can write.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL statement_timeout = '2s'; SET LOCAL lock_timeout = '1s';
    SET LOCAL idle_in_transaction_session_timeout = '10s'";

/// The beginning of a push. A client that is gone leaves no open transaction.
const BEGIN_PUSH: &str = "BEGIN;
    SET LOCAL statement_timeout = '10min'; SET LOCAL lock_timeout = '30s';
    SET LOCAL idle_in_transaction_session_timeout = '2min'";

/// A team's database. It connects when it is first used.
pub struct TeamDatabase {
    pool: Pool,
    /// The end of the pause after a server that did not answer.
    pause: Mutex<Option<Instant>>,
}

impl TeamDatabase {
    /// Reads a connection string of libpq, or a URL. `origin` is where it is from, for errors. Connections to other machines
    /// use TLS unless the string has `sslmode=disable`, and always verify the server's certificate and name. `sslrootcert`
    /// names the file of the authorities' certificates; by default they are those that the machine trusts.
    pub fn new(connection: &str, origin: &str) -> Result<Self, TeamIndexError> {
        // The error can quote the string.
        let invalid = |()| TeamIndexError::ConnectionString(origin.to_owned());
        let options = LibpqOptions::parse(connection.trim()).ok_or(()).map_err(invalid)?;
        let mut config = Config::from_str(&options.connection).map_err(|_| invalid(()))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid(()));
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(if is_local(&config) { SslMode::Disable } else { SslMode::Require });
        }
        config.application_name("zubi").connect_timeout(CONNECT_TIMEOUT).tcp_user_timeout(CONNECT_TIMEOUT * 5);
        let tls = TlsSettings::new(options.root_certificates.as_deref())?;
        // An empty statement finds out whether the server still answers. A `ROLLBACK` without a transaction would be a
        // warning in the server's log.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Verified };
        let pool = Pool::builder(Manager::from_config(config, tls, recycling))
            .max_size(MAX_CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(CONNECT_TIMEOUT))
            .recycle_timeout(Some(CONNECT_TIMEOUT))
            .build();
        Ok(Self { pool: pool.map_err(|_| invalid(()))?, pause: Mutex::default() })
    }

    /// Begins a transaction that reads.
    pub(super) async fn begin_reading(&self) -> Result<OpenTransaction, TeamIndexError> {
        self.begin(BEGIN_READING).await
    }

    /// Begins a transaction that writes.
    pub(super) async fn begin_push(&self) -> Result<OpenTransaction, TeamIndexError> {
        self.begin(BEGIN_PUSH).await
    }

    async fn begin(&self, sql: &str) -> Result<OpenTransaction, TeamIndexError> {
        if lock(&self.pause).is_some_and(|end| Instant::now() < end) {
            return Err(TeamIndexError::TimeLimit);
        }
        let begun: Result<OpenTransaction, TeamIndexError> = async {
            let client = Arc::new(self.pool.get().await?);
            let transaction = OpenTransaction { client, runtime: Handle::current(), is_open: true };
            transaction.batch_execute(sql).await?;
            Ok(transaction)
        }
        .await;
        *lock(&self.pause) = matches!(begun, Err(TeamIndexError::TimeLimit)).then(|| Instant::now() + PAUSE);
        begun
    }
}

/// The connection string is a secret, so nothing is shown.
impl fmt::Debug for TeamDatabase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TeamDatabase").finish_non_exhaustive()
    }
}

/// A connection in a transaction, which is rolled back when the value is dropped: an open one would hold locks.
pub(super) struct OpenTransaction {
    client: Arc<Object>,
    runtime: Handle,
    is_open: bool,
}

impl OpenTransaction {
    /// Commits.
    pub(super) async fn commit(mut self) -> Result<(), TeamIndexError> {
        self.client.batch_execute("COMMIT").await?;
        self.is_open = false;
        Ok(())
    }
}

impl Deref for OpenTransaction {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.client
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        if self.is_open {
            let client = Arc::clone(&self.client);
            self.runtime.spawn(async move {
                // If it fails, the server ends the transaction with the connection.
                client.batch_execute("ROLLBACK").await.ok();
            });
        }
    }
}

/// Checks the version of the tables.
pub(super) async fn check_schema(client: &Object) -> Result<(), TeamIndexError> {
    let statement = client.prepare_cached("SELECT version FROM zubi.version").await?;
    let version: i32 = client.query_one(&statement, &[]).await?.try_get(0)?;
    if version == SCHEMA_VERSION { Ok(()) } else { Err(TeamIndexError::OtherSchema(version)) }
}

/// Whether all servers are on this machine.
fn is_local(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(is_loopback) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_to_other_machines_use_tls() {
        for (connection, expected) in [
            ("host=db.example user=u", true),
            ("postgresql://u:secret@db.example/x", true),
            ("host=10.0.0.1", true),
            ("host=localhost hostaddr=10.0.0.1", true),
            ("host=localhost,db.example", true),
            ("host=127.0.0.1", false),
            ("host=::1", false),
            ("host=/run/postgresql", false),
        ] {
            assert_eq!(!is_local(&connection.parse().unwrap()), expected, "{connection}");
        }
    }

    #[test]
    fn an_invalid_string_is_not_shown() {
        for connection in
            ["", "hunter2", "host=a password='hunter2", "hunter2=1", "postgresql://u:hunter2@h:x/", "user=u"]
        {
            let error = TeamDatabase::new(connection, "`team-index`").unwrap_err();
            assert_eq!(error, TeamIndexError::ConnectionString("`team-index`".to_owned()), "{connection}");
        }
        let database = TeamDatabase::new("host=hunter2 password=hunter2", "x").unwrap();
        assert_eq!(format!("{database:?}"), "TeamDatabase { .. }");
    }
}
