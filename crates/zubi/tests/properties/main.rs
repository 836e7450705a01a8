//! The eleven correctness properties of a tool module, over every tool and resource that zubi has.
//!
//! 1–3 and 7–11 check the registry and the sources ([`structure`]); 4–6 call every tool with no, wrong, extra, huge and
//! hostile arguments, and cancel calls ([`calls`]). They cover a new tool without a change here.

#[cfg(test)]
mod arguments;
#[cfg(test)]
mod calls;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod structure;
