//! TLS between zubi and the server, with the certificates of an authority of the test.

use std::fs::Permissions;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use zubi_base::fs;
use zubi_code::symbol_uses::UseQuery;

use super::super::TeamDatabase;
use super::postgres::{self, PostgresServer};
use super::server;

/// Creates a certificate and its key. `arguments` are those of `openssl req`, which Debian's server needs too.
async fn certify(folder: &Utf8Path, name: &str, extension: &str, arguments: &[&str]) -> Utf8PathBuf {
    let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
    let fixed = ["req", "-x509", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    let subject = format!("/CN={name}");
    let names =
        ["-noenc", "-subj", &subject, "-days", "2", "-out", &certificate, "-keyout", &key, "-addext", extension];
    let arguments = [&fixed[..], &names, arguments].concat();
    postgres::run(Utf8Path::new("/usr/bin/openssl"), folder, &arguments).await;
    folder.join(certificate)
}

/// Writes a file that the server's user can read.
fn write(path: &Utf8Path, text: &str) {
    fs::write_atomic(path, text.as_bytes()).unwrap();
    std::fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}

/// An address of this process alone, so that no other program takes the port between the two uses.
fn address() -> (Ipv4Addr, u16) {
    let [_, a, b, c] = std::process::id().to_be_bytes();
    let address = Ipv4Addr::new(127, 64 | a, b, c);
    let port = TcpListener::bind((address, 0)).unwrap().local_addr().unwrap().port();
    (address, port)
}

async fn set(server: &mut PostgresServer, settings: &[String]) {
    server.stop().await;
    server.settings.extend_from_slice(settings);
    server.start_again().await;
}

#[tokio::test]
async fn the_certificate_of_the_server_is_verified() {
    let (mut server, _) = server().await;
    let folder = server.folder.clone();
    write(&folder.join("openssl.cnf"), "[req]\ndistinguished_name = name\n[name]\n");
    let authority = "basicConstraints=critical,CA:TRUE";
    let right = certify(&folder, "right", authority, &[]).await;
    let wrong = certify(&folder, "wrong", authority, &[]).await;
    let signed = ["-CA", "right.pem", "-CAkey", "right.key", "-addext", "basicConstraints=critical,CA:FALSE"];
    certify(&folder, "server", "subjectAltName=DNS:db.example", &signed).await;
    write(&folder.join("empty.pem"), "x\n");
    write(&folder.join("invalid.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");

    let hba = folder.join("hba.conf");
    write(&hba, "local all all trust\nhostssl all all 127.0.0.0/8 trust\n");
    let (address, port) = address();
    let settings = [
        format!("listen_addresses={address}"),
        format!("port={port}"),
        format!("hba_file={hba}"),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={folder}/server.pem"),
        format!("ssl_key_file={folder}/server.key"),
    ];
    set(&mut server, &settings).await;

    let check = async |options: &str| {
        let connection = format!("hostaddr={address} port={port} user=postgres dbname=postgres {options}");
        let query = UseQuery { symbol: "new".to_owned(), repository: None, start: 0, limit: 10 };
        let uses = match TeamDatabase::new(&connection, "the test") {
            Ok(database) => database.find_uses(&query).await,
            Err(error) => Err(error),
        };
        let result = uses.map_or_else(|error| error.to_string(), |_| "connected".to_owned());
        format!("{options}: {result}").replace(folder.as_str(), "…")
    };
    let mut lines = Vec::new();
    for options in [
        format!("host=db.example sslmode=verify-full sslrootcert={right}"),
        format!("host=db.example sslmode=require sslrootcert='{right}'"),
        format!("host=other.example sslmode=require sslrootcert={right}"),
        format!("host=db.example sslmode=verify-ca sslrootcert={wrong}"),
        "host=db.example sslmode=require".to_owned(),
        "host=db.example sslmode=disable".to_owned(),
        format!("host=db.example sslmode=require sslrootcert={folder}/absent.pem"),
        format!("host=db.example sslmode=require sslrootcert={folder}/empty.pem"),
        format!("host=db.example sslmode=require sslrootcert={folder}/invalid.pem"),
        "host=db.example sslmode=require sslrootcert=right.pem".to_owned(),
    ] {
        lines.push(check(&options).await);
    }
    let url = format!(
        "postgresql://postgres@db.example:{port}/postgres?hostaddr={address}&sslmode=verify-full&sslrootcert={right}"
    );
    assert!(TeamDatabase::new(&url, "the test").unwrap().begin_reading().await.is_ok());
    assert_snapshot!(lines.join("\n"), @"
    host=db.example sslmode=verify-full sslrootcert=…/right.pem: connected
    host=db.example sslmode=require sslrootcert='…/right.pem': connected
    host=other.example sslmode=require sslrootcert=…/right.pem: no secure connection to the server: the server's certificate is for another host than that of the connection string
    host=db.example sslmode=verify-ca sslrootcert=…/wrong.pem: no secure connection to the server: no trusted authority has signed the server's certificate; `sslrootcert=FILE` in the connection string names the file of another authority
    host=db.example sslmode=require: no secure connection to the server: no trusted authority has signed the server's certificate; `sslrootcert=FILE` in the connection string names the file of another authority
    host=db.example sslmode=disable: the server refuses the user or the password of the connection string
    host=db.example sslmode=require sslrootcert=…/absent.pem: the file of `sslrootcert` cannot be used: it does not exist
    host=db.example sslmode=require sslrootcert=…/empty.pem: the file of `sslrootcert` cannot be used: it has no certificate in the format PEM
    host=db.example sslmode=require sslrootcert=…/invalid.pem: the file of `sslrootcert` cannot be used: a certificate in it is invalid
    host=db.example sslmode=require sslrootcert=right.pem: the file of `sslrootcert` cannot be used: its path is not absolute
    ");

    // A server without TLS.
    set(&mut server, &["ssl=off".to_owned()]).await;
    assert_snapshot!(check(&format!("host=db.example sslmode=require sslrootcert={right}")).await, @"host=db.example sslmode=require sslrootcert=…/right.pem: no secure connection to the server: it does not support TLS; `sslmode=disable` in the connection string connects without");
    server.stop().await;
}
