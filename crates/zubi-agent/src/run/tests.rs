//! The loop with a model that plays a list, over real hosts.

mod answers;
mod asking;
mod calls;
mod ending;
mod repeating;
mod room;
mod tools;
mod world;
