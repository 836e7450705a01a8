//! Money.
use std::fmt;

/// The maximum.
pub const MAX: u32 = 9;
static mut COUNT: usize = 0;

/// A rate.
#[derive(Debug)]
pub struct Rate<T> {
    /// The value.
    pub value: T,
    r#type: u8,
}

pub struct Pair(u8, u8);

pub enum Kind {
    Fixed,
    Floating { step: u8 },
}

union Bits {
    int: u32,
}

pub trait Price: fmt::Debug {
    type Unit;
    const ZERO: u8;
    fn price(&self) -> u32;
    fn twice(&self) -> u32 { self.price() * 2 }
}

impl<T> Rate<T> {
    pub fn new(value: T) -> Self
    where
        T: Copy,
    {
        fn inner() {}
        Self { value, r#type: 0 }
    }
}

impl Price for Pair {
    type Unit = u8;
    const ZERO: u8 = 0;
    fn price(&self) -> u32 { 1 }
}

pub type Rates = Vec<Rate<u8>>;

macro_rules! rate {
    ($v:expr) => { Rate::new($v) };
}

mod inside {
    pub async fn run() {}
}

extern "C" {
    fn abs(x: i32) -> i32;
}
