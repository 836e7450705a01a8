//! The task that writes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::shared::{ConnectionState, Queue};

/// The maximum number of messages taken from the queue at once.
const WRITE_BATCH: usize = 64;

/// The time to write the queued messages after the connection has ended.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Writes queued messages until the queue is closed, or until shortly after the connection has ended.
pub(super) async fn write<W: AsyncWrite + Send + Unpin>(mut writer: W, mut queue: Queue, shared: Arc<ConnectionState>) {
    let done = shared.writer_ended.clone().drop_guard();
    let overdue = async {
        shared.end.cancelled().await;
        tokio::time::sleep(FLUSH_TIMEOUT).await;
    };
    tokio::select! {
        written = write_all(&mut writer, &mut queue, &shared) => {
            if let Err(error) = written {
                // Responses to earlier requests may still arrive, so only this direction is closed.
                shared.state().close_writer(&format!("it does not take input any more: {error}"));
            }
        }
        () = overdue => tracing::debug!("a peer does not read the last that it is sent"),
    }
    drop(done);
}

async fn write_all<W>(writer: &mut W, queue: &mut Queue, shared: &ConnectionState) -> io::Result<()>
where
    W: AsyncWrite + Send + Unpin,
{
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, WRITE_BATCH).await > 0 {
        for message in batch.drain(..) {
            let written = writer.write_all(&message.bytes).await;
            shared.state().count_written(&message);
            written?;
        }
        writer.flush().await?;
    }
    // Dropping a pipe closes it; other streams may buffer data until they are shut down.
    if let Err(error) = writer.shutdown().await {
        tracing::debug!(%error, "closing a peer's input");
    }
    Ok(())
}
