//! What the programs of this package share: how a command fails and with which exit code ([`failure`]), and the way to
//! stdout and stderr ([`terminal`]).

pub mod failure;
pub mod terminal;
