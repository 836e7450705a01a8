//! Tests of publications that arrive in another order than the server has made them.

use insta::assert_snapshot;

use super::*;

/// Answers the request for a check, and for the diagnostics before it.
async fn expect_check(checked: &mut CheckedServer) {
    checked.server.expect_notification("fake/runCheck").await;
    checked.expect_pull("native").await;
}

#[tokio::test]
async fn a_check_whose_publications_overtook_each_other_runs_again() {
    let request = Some("fake/runCheck".to_owned());
    let checker = BackgroundCheck { request, ..crate::testing::checker() };
    let (mut checked, request) = CheckedServer::start_with(checker).await;
    expect_check(&mut checked).await;
    checked.run_check(&[&[], &["a"], &["a", "b"]]).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("a"), String("b")], current: true, note: None"#);

    // The empty publication at the beginning and a part are valid, because more follows.
    let request = checked.change("2", cx()).await;
    expect_check(&mut checked).await;
    checked.run_check(&[&["a"], &[], &["a", "b"]]).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("a"), String("b")], current: true, note: None"#);

    // A part comes last, so the check runs again.
    let request = checked.change("3", cx()).await;
    expect_check(&mut checked).await;
    checked.run_check(&[&["a", "b"], &["a"]]).await;
    checked.server.expect_notification("fake/runCheck").await;
    checked.run_check(&[&["a", "b"]]).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("a"), String("b")], current: true, note: None"#);

    // The run never published the corrected problem, so nothing is missing.
    let request = checked.change("4", cx()).await;
    expect_check(&mut checked).await;
    checked.run_check(&[&["b"]]).await;
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("b")], current: true, note: None"#);

    // The last of three runs counts.
    let request = checked.change("5", cx()).await;
    expect_check(&mut checked).await;
    for run in 0..3 {
        if run > 0 {
            checked.server.expect_notification("fake/runCheck").await;
        }
        checked.run_check(&[&["a", "b"], &["b"]]).await;
    }
    assert_snapshot!(show(&request.await.unwrap().unwrap()), @r#"[String("native"), String("b")], current: true, note: None"#);
}
