//! The agent loop with scripted models, over real hosts.

mod answers;
mod calls;
mod compaction;
mod injection;
mod model_failures;
mod repetition;
mod tools;
mod turn_ends;
mod world;
