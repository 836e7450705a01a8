//! The chat page: its files, and the HTTP server that gives them to a browser.
//!
//! The page speaks `zubi_agent::wire` and nothing else. In a browser its requests go over HTTP to the server here, in VS Code over
//! the editor channel; `page/transport.js` is the one place that knows which.

mod assets;

pub use assets::{ASSETS, Asset};
