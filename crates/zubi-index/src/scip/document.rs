//! The messages of SCIP that the index reads: `Metadata`, `Document`, `Occurrence`, `SymbolInformation`. The numbers of
//! fields are those in `scip.proto`.

use super::codec::{OccurrenceRoles, StoredRange};
use super::limits::ScipLimits;
use super::symbol::LOCAL_PREFIX;
use super::wire::{WireError, WireFields, WireValue, read_packed};

/// The field of `Metadata` in `Index`.
pub(crate) const METADATA: u32 = 1;
/// The field of a `Document` in `Index`.
pub(crate) const DOCUMENT: u32 = 2;

/// The maximum length of the name and of the version of a tool, in bytes.
const MAX_TOOL: usize = 200;

/// The maximum length of a path, in bytes.
const MAX_PATH: usize = 1_024;

/// The program that made an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ScipTool {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl ScipTool {
    /// Reads `Metadata`.
    pub(crate) fn from_metadata(message: &[u8]) -> Result<Self, WireError> {
        let mut tool = Self::default();
        let mut fields = WireFields::new(message);
        while let Some((field, value)) = fields.next()? {
            if field != 2 {
                continue;
            }
            let mut info = WireFields::new(value.bytes());
            while let Some((field, value)) = info.next()? {
                match field {
                    1 => tool.name = printable(value.text()?),
                    2 => tool.version = printable(value.text()?),
                    _ => {}
                }
            }
        }
        if tool.name.is_empty() {
            "unknown".clone_into(&mut tool.name);
        }
        Ok(tool)
    }
}

/// Returns a text that can be part of a line for people.
pub(super) fn printable(text: &str) -> String {
    let text: String = text.chars().filter(|character| !character.is_control()).collect();
    zubi_base::text::ellipsize(text.trim(), MAX_TOOL).into_owned()
}

/// A document. Its texts are parts of the message.
#[derive(Debug, Default)]
pub(crate) struct ScipDocument<'a> {
    pub(crate) path: &'a str,
    /// Empty if the producer does not say it.
    pub(crate) language: &'a str,
    /// The text that the producer has read, if it sends it.
    pub(crate) text: Option<&'a str>,
    /// The number of the variant of `PositionEncoding`.
    pub(crate) encoding: u64,
    /// The occurrences of symbols that are not local.
    pub(crate) occurrences: Vec<ScipOccurrence<'a>>,
    pub(crate) symbols: Vec<SymbolInformation<'a>>,
    /// The number of occurrences of local symbols.
    pub(crate) local: usize,
    /// The number of occurrences with an invalid range or a symbol above the limit.
    pub(crate) invalid: usize,
}

/// An occurrence of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScipOccurrence<'a> {
    pub(crate) range: StoredRange,
    pub(crate) symbol: &'a str,
    pub(crate) roles: OccurrenceRoles,
}

/// The properties of a symbol that is not local.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SymbolInformation<'a> {
    pub(crate) symbol: &'a str,
    /// The number of the variant of `Kind`.
    pub(crate) kind: u64,
    pub(crate) relations: Vec<ScipRelation<'a>>,
}

/// A relation of a symbol to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScipRelation<'a> {
    pub(crate) target: &'a str,
    pub(crate) bits: RelationBits,
}

/// The flags of a relation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RelationBits(pub(crate) u8);

impl RelationBits {
    /// References to one symbol are also references to the other.
    pub(crate) const REFERENCE: u8 = 1;
    /// The symbol implements or overrides the target.
    pub(crate) const IMPLEMENTATION: u8 = 2;
    /// The definition of the symbol is that of the target.
    pub(crate) const DEFINITION: u8 = 8;
}

/// The reason why a document cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentDefect {
    Malformed(WireError),
    /// The path is absolute, leads outside the folder, or is not in its normal form.
    InvalidPath,
    /// The number of occurrences, symbols or relations is above the limit.
    TooLarge,
}

impl From<WireError> for DocumentDefect {
    fn from(error: WireError) -> Self {
        Self::Malformed(error)
    }
}

impl<'a> ScipDocument<'a> {
    /// Reads a `Document`.
    pub(crate) fn parse(message: &'a [u8], limits: &ScipLimits) -> Result<Self, DocumentDefect> {
        let mut document = Self::default();
        let mut fields = WireFields::new(message);
        let mut entries = 0_usize;
        while let Some((field, value)) = fields.next()? {
            match field {
                1 => document.path = value.text()?,
                2 => {
                    entries += 1;
                    document.add_occurrence(value, limits)?;
                }
                3 => {
                    let information = SymbolInformation::parse(value, limits)?;
                    entries += 1 + information.relations.len();
                    if is_global(information.symbol, limits) {
                        document.symbols.push(information);
                    }
                }
                4 => document.language = value.text()?,
                5 => document.text = Some(value.text()?),
                6 => document.encoding = value.number(),
                _ => {}
            }
            if entries > limits.occurrences {
                return Err(DocumentDefect::TooLarge);
            }
        }
        // An encoder may write the default of a missing text, which is empty.
        document.text = document.text.filter(|text| !text.is_empty());
        if has_normal_form(document.path) { Ok(document) } else { Err(DocumentDefect::InvalidPath) }
    }

    fn add_occurrence(&mut self, value: WireValue<'a>, limits: &ScipLimits) -> Result<(), WireError> {
        let mut fields = WireFields::new(value.bytes());
        let mut symbol = "";
        let mut numbers = Vec::new();
        let mut typed = None;
        let mut is_valid = true;
        let mut roles = OccurrenceRoles::default();
        while let Some((field, value)) = fields.next()? {
            match (field, value) {
                (1, WireValue::Bytes(bytes)) => is_valid &= in_range(read_packed(bytes, &mut numbers, 4))?.is_some(),
                (1, value) => match in_range(value.index())? {
                    Some(number) if numbers.len() < 4 => numbers.push(number),
                    _ => is_valid = false,
                },
                (2, value) => symbol = value.text()?,
                (3, value) => roles = OccurrenceRoles::from_scip(value.number()),
                (8 | 9, value) => {
                    typed = in_range(if field == 8 { single_line_range(value) } else { multi_line_range(value) })?;
                    is_valid &= typed.is_some();
                }
                _ => {}
            }
        }
        if symbol.is_empty() {
            // It only colours the text, or has a diagnostic.
            return Ok(());
        }
        if symbol.starts_with(LOCAL_PREFIX) {
            self.local += 1;
            return Ok(());
        }
        let listed = match numbers.as_slice() {
            [line, column, end_column] => Some((*line, *column, *line, *end_column)),
            [line, column, end_line, end_column] => Some((*line, *column, *end_line, *end_column)),
            _ => None,
        };
        let range = typed.or(listed).map(|(line, column, end_line, end_column)| StoredRange {
            line,
            column,
            end_line,
            end_column,
        });
        match range {
            Some(range)
                if is_valid
                    && (range.line, range.column) <= (range.end_line, range.end_column)
                    && is_global(symbol, limits) =>
            {
                self.occurrences.push(ScipOccurrence { range, symbol, roles });
            }
            _ => self.invalid += 1,
        }
        Ok(())
    }
}

/// Returns `None` for a number outside its range, which invalidates only its occurrence.
fn in_range<T>(read: Result<T, WireError>) -> Result<Option<T>, WireError> {
    match read {
        Err(WireError::OutOfRange) => Ok(None),
        other => other.map(Some),
    }
}

type RangeNumbers = (u32, u32, u32, u32);

fn single_line_range(message: WireValue<'_>) -> Result<RangeNumbers, WireError> {
    let [line, column, end_column] = numbers(message)?;
    Ok((line, column, line, end_column))
}

fn multi_line_range(message: WireValue<'_>) -> Result<RangeNumbers, WireError> {
    let [line, column, end_line, end_column] = numbers(message)?;
    Ok((line, column, end_line, end_column))
}

/// Reads the fields 1, 2, … of a message of numbers; 0 for those that are missing.
fn numbers<const N: usize>(message: WireValue<'_>) -> Result<[u32; N], WireError> {
    let mut numbers = [0; N];
    let mut fields = WireFields::new(message.bytes());
    while let Some((field, value)) = fields.next()? {
        if let Some(number) = (field as usize).checked_sub(1).and_then(|at| numbers.get_mut(at)) {
            *number = value.index()?;
        }
    }
    Ok(numbers)
}

impl<'a> SymbolInformation<'a> {
    fn parse(value: WireValue<'a>, limits: &ScipLimits) -> Result<Self, WireError> {
        let mut information = Self::default();
        let mut fields = WireFields::new(value.bytes());
        while let Some((field, value)) = fields.next()? {
            match field {
                1 => information.symbol = value.text()?,
                4 => {
                    let relation = relation(value)?;
                    if relation.bits != RelationBits::default() && is_global(relation.target, limits) {
                        information.relations.push(relation);
                    }
                }
                5 => information.kind = value.number(),
                _ => {}
            }
        }
        Ok(information)
    }
}

fn relation(value: WireValue<'_>) -> Result<ScipRelation<'_>, WireError> {
    let mut relation = ScipRelation { target: "", bits: RelationBits::default() };
    let mut fields = WireFields::new(value.bytes());
    while let Some((field, value)) = fields.next()? {
        let bit = match field {
            1 => {
                relation.target = value.text()?;
                continue;
            }
            2 => RelationBits::REFERENCE,
            3 => RelationBits::IMPLEMENTATION,
            5 => RelationBits::DEFINITION,
            _ => continue,
        };
        if value.number() != 0 {
            relation.bits.0 |= bit;
        }
    }
    Ok(relation)
}

fn is_global(symbol: &str, limits: &ScipLimits) -> bool {
    !symbol.is_empty() && symbol.len() <= limits.symbol_bytes && !symbol.starts_with(LOCAL_PREFIX)
}

/// Whether a path is relative and has the one form that SCIP allows.
pub(super) fn has_normal_form(path: &str) -> bool {
    path.len() <= MAX_PATH
        && !path.chars().any(|character| character.is_control() || character == '\\')
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}
