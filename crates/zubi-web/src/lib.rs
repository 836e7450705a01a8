//! The chat page: its files, and the HTTP server that serves them to a browser.
//!
//! The page uses only `zubi_agent::wire`. In a browser its requests go over HTTP to the server here, in VS Code over
//! the editor channel; `page/transport.js` is the only file that distinguishes them.
//!
//! ```text
//! let server = WebServer::bind(WebOptions { port: None }).await?;
//! println!("{}", server.address());          // http://127.0.0.1:PORT/#token=…
//! server.serve(chats, stop).await;            // until `stop`
//! ```
//!
//! | request | response |
//! |---|---|
//! | `GET /`, `GET /FILE` | the page's files ([`ASSETS`]) |
//! | `POST /api/METHOD` | one of `zubi_agent::wire`'s methods; JSON in and out, `{"error": "…"}` when it fails |
//! | `GET /api/events` | server-sent events: `told` with an event, `reload` when events were lost |
//!
//! Access control is in `guard`.

mod answers;
mod assets;
mod guard;
mod server;
#[cfg(test)]
mod tests;

pub use assets::{ASSETS, Asset};
pub use server::{BindError, WebOptions, WebServer};
