//! Child processes: the only place in zubi that starts one.
//!
//! A child gets three pipes, a directory, an environment that was chosen ([`ChildEnvironment`]) and a process group of its
//! own, and it never outlives zubi, not even when zubi is killed with SIGKILL: a [`Spawner`] with a supervisor starts
//! `<supervisor> __child -- program args…`, and [`supervise`] ends the program and everything it started as soon as
//! zubi's end of the pipes closes. That needs neither `unsafe` code between fork and exec nor the cooperation of the
//! program. The supervisor also holds the program in the limits that [`Confinement`] names.
//!
//! Whether a program *may* run is decided elsewhere (trust, policy). Tested on Linux; without `/proc` the descendants
//! of a program that left its process group are not found.

mod child;
pub mod confine;
mod count;
mod environment;
mod output;
mod signal;
mod supervisor;
mod tree;
mod wait;

pub use child::{Child, CommandSpec, Spawner, detach, leave_terminal};
pub use confine::Confinement;
pub use environment::ChildEnvironment;
pub use output::CommandOutput;
pub use signal::SUPERVISOR_ARGUMENT;
pub use supervisor::supervise;
pub use tree::{descendants, is_ancestor, rss_bytes};
pub use wait::wait;
