//! Child processes. No other part of zubi starts one.
//!
//! A child gets three pipes, a directory, a chosen environment ([`ChildEnvironment`]) and a process group of its own.
//! It never outlives zubi, not even after a SIGKILL of zubi: a [`Spawner`] with a supervisor starts `<supervisor>
//! __child -- program args…`, and [`supervise`] ends the program and all processes that it started as soon as zubi's
//! end of the pipes closes. This needs neither `unsafe` code between fork and exec nor the cooperation of the program.
//! The supervisor also enforces the limits of a [`Confinement`].
//!
//! Other modules decide whether a program *may* run (trust, policy). Tested on Linux; without `/proc`, zubi cannot find
//! descendants that left their process group.

mod child;
pub mod confine;
mod control_group;
mod count;
mod environment;
mod output;
mod signal;
mod standby;
mod supervisor;
mod tree;
mod wait;

pub use child::{Child, CommandSpec, Spawner, detach, leave_terminal};
pub use confine::Confinement;
pub use environment::ChildEnvironment;
pub use output::{CommandOutput, read_error_output};
pub use signal::SUPERVISOR_ARGUMENT;
pub use standby::Standby;
pub use supervisor::supervise;
pub use tree::{descendants, is_ancestor, rss_bytes};
pub use wait::wait;
