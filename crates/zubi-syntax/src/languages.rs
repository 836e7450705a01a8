//! The tables of all languages: which nodes of a grammar declare something.

pub(crate) mod c;
pub(crate) mod data;
pub(crate) mod go;
#[cfg(feature = "heavy")]
pub(crate) mod heavy;
pub(crate) mod java;
pub(crate) mod javascript;
#[cfg(feature = "heavy")]
pub(crate) mod jvm;
pub(crate) mod others;
pub(crate) mod python;
pub(crate) mod rust;
pub(crate) mod scripts;
