//! The wire format of Protocol Buffers: fields of a message, and the stream of the top-level message.
//!
//! This reader is written by hand. The generated types of the crate `scip` allocate every document as a tree of messages
//! with documentation and diagnostics, of which the index needs a fifth, and have no limits of their own. The format is a
//! sequence of numbered fields, each with its length, so a reader that skips what it does not know needs no recursion.

use std::io::{self, BufRead, Read as _};

/// A defect of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("it ends inside a value")]
    Truncated,
    #[error("a number has more than 64 bits")]
    LongNumber,
    #[error("a field has the unknown type {0}")]
    UnknownType(u8),
    #[error("a field has the invalid number 0")]
    FieldZero,
    #[error("a string is not UTF-8")]
    NotText,
    #[error("a number is outside its range")]
    OutOfRange,
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireValue<'a> {
    /// A number, a flag or the number of a variant.
    Number(u64),
    /// A string, a message or a list of numbers.
    Bytes(&'a [u8]),
    /// A value of four or eight bytes. SCIP has none.
    Fixed,
}

impl<'a> WireValue<'a> {
    /// Returns a string; the empty one if the value is a number, as parsers of Protocol Buffers ignore such a field.
    pub(crate) fn text(self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()).map_err(|_| WireError::NotText)
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(_) | Self::Fixed => &[],
        }
    }

    /// Returns a number from 0 to 2³¹ − 1. Negative ones have 64 bits in this format.
    pub(crate) fn index(self) -> Result<u32, WireError> {
        to_index(self.number())
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(_) | Self::Fixed => 0,
        }
    }
}

fn to_index(number: u64) -> Result<u32, WireError> {
    i32::try_from(number).map(i32::cast_unsigned).map_err(|_| WireError::OutOfRange)
}

/// The fields of a message, in their order.
#[derive(Debug, Clone)]
pub(crate) struct WireFields<'a> {
    rest: &'a [u8],
}

impl<'a> WireFields<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Returns the number and the value of the next field, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u32, WireValue<'a>)>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (field, kind) = split_tag(take_number(&mut self.rest)?)?;
        let value = match kind {
            0 => WireValue::Number(take_number(&mut self.rest)?),
            1 => self.take(8).map(|_| WireValue::Fixed)?,
            2 => {
                let length = take_number(&mut self.rest)?;
                WireValue::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => self.take(4).map(|_| WireValue::Fixed)?,
            other => return Err(WireError::UnknownType(other)),
        };
        Ok(Some((field, value)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Reads a list of numbers without field tags into `indexes`, at most `limit`.
pub(crate) fn read_packed(mut bytes: &[u8], indexes: &mut Vec<u32>, limit: usize) -> Result<(), WireError> {
    while !bytes.is_empty() {
        if indexes.len() >= limit {
            return Err(WireError::OutOfRange);
        }
        indexes.push(to_index(take_number(&mut bytes)?)?);
    }
    Ok(())
}

/// Reads a number of seven bits per byte, the least significant first.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(WireError::Truncated)?;
        *bytes = rest;
        number |= add_bits(*byte, shift)?;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(WireError::LongNumber)
}

fn add_bits(byte: u8, shift: u32) -> Result<u64, WireError> {
    if shift == 63 && byte > 1 {
        return Err(WireError::LongNumber);
    }
    Ok(u64::from(byte & 0x7f) << shift)
}

/// Appends a number as [`take_number`] reads it.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

fn split_tag(tag: u64) -> Result<(u32, u8), WireError> {
    let field = u32::try_from(tag >> 3).map_err(|_| WireError::OutOfRange)?;
    if field == 0 {
        return Err(WireError::FieldZero);
    }
    Ok((field, u8::try_from(tag & 7).unwrap_or_default()))
}

/// The reason why a stream ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StreamError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("at byte {offset}: {error}")]
    Format { offset: u64, error: WireError },
}

/// A field of the top-level message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamField {
    /// The message is in the buffer of the call.
    Message(u32),
    /// A message above the limit, which was skipped.
    TooLarge(u32),
    /// A field that the caller does not want, or not a message.
    Skipped,
}

/// The fields of the top-level message in a file, one in memory at a time.
pub(crate) struct WireStream<R> {
    input: R,
    offset: u64,
    max_message: u64,
}

impl<R: BufRead> WireStream<R> {
    pub(crate) fn new(input: R, max_message: u64) -> Self {
        Self { input, offset: 0, max_message }
    }

    /// The number of bytes that were read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next field. Replaces the content of `message` if the caller wants this field. Returns `None` at the end.
    pub(crate) fn next(
        &mut self,
        is_wanted: impl Fn(u32) -> bool,
        message: &mut Vec<u8>,
    ) -> Result<Option<StreamField>, StreamError> {
        let start = self.offset;
        let at = |error| StreamError::Format { offset: start, error };
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let (field, kind) = split_tag(self.number(start)?).map_err(at)?;
        let length = match kind {
            0 => {
                self.number(start)?;
                0
            }
            1 => 8,
            2 => self.number(start)?,
            5 => 4,
            other => return Err(at(WireError::UnknownType(other))),
        };
        let is_message = kind == 2 && is_wanted(field);
        let read = if is_message && length <= self.max_message {
            message.clear();
            // The memory grows with the bytes that are there, whatever the length says.
            self.input.by_ref().take(length).read_to_end(message)? as u64
        } else {
            io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?
        };
        self.offset += read;
        if read < length {
            return Err(at(WireError::Truncated));
        }
        Ok(Some(match is_message {
            true if length <= self.max_message => StreamField::Message(field),
            true => StreamField::TooLarge(field),
            false => StreamField::Skipped,
        }))
    }

    fn number(&mut self, start: u64) -> Result<u64, StreamError> {
        let at = |error| StreamError::Format { offset: start, error };
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some(byte) = self.input.fill_buf()?.first().copied() else { return Err(at(WireError::Truncated)) };
            self.input.consume(1);
            self.offset += 1;
            number |= add_bits(byte, shift).map_err(at)?;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(at(WireError::LongNumber))
    }
}
