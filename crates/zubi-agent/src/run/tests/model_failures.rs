//! A model that fails, that is slow, and that is stopped.

use std::time::Duration;

use super::world::{Reply, World, fail, text_reply, with_deadline};
use crate::event::EventKind;
use zubi_models::ErrorKind;

#[tokio::test(start_paused = true)]
async fn temporary_errors_are_retried_with_increasing_waits() {
    let replies = vec![
        fail(ErrorKind::Overloaded, "529", None),
        fail(ErrorKind::BrokenOff, "reset", None),
        fail(ErrorKind::RateLimited, "429", Some(Duration::from_secs(7))),
        text_reply("At last."),
    ];
    insta::assert_snapshot!(World::new(&[], replies).run("hi").await, @"
    > hi
    #1
      Overloaded: try 1 failed, next in 2000 ms
      BrokenOff: try 2 failed, next in 4000 ms
      RateLimited: try 3 failed, next in 7000 ms
    < At last.
    = Completed after 1/0: At last.
    ");
}

#[tokio::test(start_paused = true)]
async fn only_temporary_errors_are_retried_at_most_three_times() {
    let mut replies: Vec<Reply> = (0..4).map(|_| fail(ErrorKind::Unreachable, "nobody listens there", None)).collect();
    replies.push(fail(ErrorKind::Unauthorized, "the key is refused", None));
    let long = Duration::from_mins(90);
    replies.push(fail(ErrorKind::RateLimited, "the quota of today is used up", Some(long)));
    let mut world = World::new(&[], replies);
    world.run("one").await;
    world.run("two").await;
    insta::assert_snapshot!(world.run("three").await, @"
    > one
    #1
      Unreachable: try 1 failed, next in 2000 ms
      Unreachable: try 2 failed, next in 4000 ms
      Unreachable: try 3 failed, next in 8000 ms
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: nobody listens there. Check the address and the network: `zubi agent models` shows the addresses in use. (The model was called 4 times.)
    > two
    #1
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: the key is refused. Check the key of this provider: `zubi agent models` says where it was found.
    > three
    #1
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: the quota of today is used up. The provider requires a wait of 90 minutes. Wait a little, or choose another model with --model.
    ");
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_is_requested_once_more() {
    let replies = (0..2).map(|_| fail(ErrorKind::Malformed, "a page of HTML", None)).collect();
    insta::assert_snapshot!(World::new(&[], replies).run("hi").await, @"
    > hi
    #1
      Malformed: try 1 failed, next in 2000 ms
    = Model after 1/0: The model gave no answer. / Calls made: none. / The remaining work is not known.
      problem: a page of HTML. Check that the address is one of a model's API: `zubi agent models` shows it. (The model was called 2 times.)
    ");
}

#[tokio::test]
async fn the_partial_answer_of_a_stopped_turn_is_saved() {
    let mut world = World::new(&[], vec![Reply::Hang("I was about to")]);
    let (turn, sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    world.journal.wait("a delta", |kind| matches!(kind, EventKind::Text { .. }).then_some(())).await;
    sender.send("too late".to_owned()).unwrap();
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();
    assert!(sender.send("nobody".to_owned()).is_err(), "a later message does not reach the ended turn");
    insta::assert_snapshot!(world.render_events(), @"
    > go
    #1
    < I was about to (interrupted)
    > too late
    = Stopped after 1/0: The turn was stopped. / Calls made: none. / The last words of the model: I was about to / The remaining work is not known.
    ");
}

#[tokio::test(start_paused = true)]
async fn a_retry_delay_can_be_stopped() {
    let mut world = World::new(&[], vec![fail(ErrorKind::RateLimited, "429", Some(Duration::from_secs(100)))]);
    let (turn, _sender) = world.turn("go");
    let turn = tokio::spawn(turn);
    world.journal.wait("a retry", |kind| matches!(kind, EventKind::Retrying { .. }).then_some(())).await;
    let before = tokio::time::Instant::now();
    world.stop.cancel();
    with_deadline("the end", turn).await.unwrap();
    assert!(before.elapsed() < Duration::from_secs(1));
}
