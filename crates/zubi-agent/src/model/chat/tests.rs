//! Streams as servers send them.
