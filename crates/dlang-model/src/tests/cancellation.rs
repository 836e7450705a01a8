//! Cancellation of queries on other threads.

use std::sync::Arc;
use std::sync::mpsc;

use crate::testing::host;
use crate::{Definition, ModelChange, QueryCancelled, file_diagnostics, project_files};

#[test]
fn a_change_cancels_earlier_queries() {
    let mut host = host("Domain A\n");
    let snapshot = host.snapshot();
    let (sender, started) = mpsc::channel();
    let query_thread = std::thread::spawn(move || {
        snapshot.query::<()>(|db| {
            sender.send(()).unwrap();
            // Runs endlessly until it is cancelled.
            loop {
                for file in project_files(db) {
                    let _ = file_diagnostics(db, *file);
                    drop(Definition { file: *file, number: 0 }.name(db));
                }
                db.unwind_if_revision_cancelled();
            }
        })
    });
    started.recv().unwrap();
    // Waits for the snapshot to be dropped.
    host.apply([ModelChange::Text { path: "main.dlang".to_owned(), text: Arc::from("Domain B\n") }]);
    assert_eq!(query_thread.join().unwrap(), Err(QueryCancelled));
    let answer = host.snapshot().query(|db| {
        let file = project_files(db)[0];
        file_diagnostics(db, file)[0].message.clone()
    });
    assert_eq!(answer.as_deref(), Ok("Domain 'B' is missing a vision statement."));
}

#[test]
fn a_token_cancels_one_snapshot() {
    let host = host("Domain A\n");
    let (one, other) = (host.snapshot(), host.snapshot());
    let token = one.cancellation_token();
    let answer: Result<(), QueryCancelled> = one.query(|db| {
        token.cancel();
        db.unwind_if_revision_cancelled();
    });
    assert_eq!(answer, Err(QueryCancelled));
    assert_eq!(other.query(|db| project_files(db).len()), Ok(1));
}

#[test]
fn cancellation_between_queries_is_permanent() {
    let host = host("Domain A\n");
    let snapshot = host.snapshot();
    let (clone, token) = (snapshot.clone(), snapshot.cancellation_token());
    // Cancelled after the last inner query.
    assert_eq!(snapshot.query(|_| token.cancel()), Ok(()));
    assert_eq!(clone.query(|db| project_files(db).len()), Ok(1));
    assert_eq!(snapshot.query(|db| project_files(db).len()), Err(QueryCancelled));

    // Another query ends inside this one.
    let snapshot = host.snapshot();
    let token = snapshot.cancellation_token();
    let answer = snapshot.query(|db| {
        salsa::attach(db, || token.cancel());
        db.unwind_if_revision_cancelled();
    });
    assert_eq!(answer, Err(QueryCancelled));
}
