//! A notation of SCIP files, and their encoder.
//!
//! ```text
//! tool NAME VERSION
//! doc PATH [utf8|utf16|utf32]
//! text TEXT                    (`\n` is a line break)
//! def LINE:START-END SYMBOL    (1-based line, 0-based columns; `LINE:START-LINE:END` for several lines)
//! ref LINE:START-END SYMBOL
//! import|write …               (references with another role)
//! SYMBOL implements SYMBOL     (or `overrides`: with references; or `is`: same definition)
//! kind SYMBOL NUMBER
//! ```
//!
//! A symbol is the descriptors after `test . p 1 `; `local N` is one of its own kind.

use crate::scip::wire::put_number;

pub(super) fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_number(&mut bytes, u64::from(number << 3 | 2));
    put_number(&mut bytes, content.len() as u64);
    bytes.extend(content);
    bytes
}

pub(super) fn number(number: u32, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_number(&mut bytes, u64::from(number << 3));
    put_number(&mut bytes, value);
    bytes
}

pub(super) fn metadata(tool: &str, version: &str) -> Vec<u8> {
    field(1, &field(2, &[field(1, tool.as_bytes()), field(2, version.as_bytes())].concat()))
}

pub(super) fn symbol(text: &str) -> String {
    if text.starts_with("local ") || text.contains(' ') { text.to_owned() } else { format!("test . p 1 {text}") }
}

/// Encodes an occurrence with the list of its range.
pub(super) fn occurrence(range: &[u64], text: &str, roles: u64) -> Vec<u8> {
    let mut packed = Vec::new();
    for value in range {
        put_number(&mut packed, *value);
    }
    field(2, &[field(1, &packed), field(2, symbol(text).as_bytes()), number(3, roles)].concat())
}

/// Encodes a file.
pub(super) fn index(notation: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut tool = ("test", "1");
    let mut documents: Vec<Vec<u8>> = Vec::new();
    for line in notation.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap();
        let mut add = |bytes: Vec<u8>| documents.last_mut().expect("a document").extend(bytes);
        match word {
            "tool" => tool = rest.split_once(' ').unwrap(),
            "doc" => {
                let split = rest.rsplit_once(' ').filter(|(_, last)| last.starts_with("utf"));
                let (path, encoding) = split.unwrap_or((rest, ""));
                let encoding = ["", "utf8", "utf16", "utf32"].iter().position(|name| *name == encoding).unwrap();
                documents.push([field(1, path.as_bytes()), number(6, encoding as u64)].concat());
            }
            "text" => add(field(5, rest.replace("\\n", "\n").as_bytes())),
            "kind" => {
                let (name, kind) = rest.split_once(' ').unwrap();
                add(field(3, &[field(1, symbol(name).as_bytes()), number(5, kind.parse().unwrap())].concat()));
            }
            "def" | "ref" | "import" | "write" => {
                let roles = match word {
                    "def" => 1,
                    "import" => 2,
                    "write" => 4,
                    _ => 8,
                };
                let (range, name) = rest.split_once(' ').unwrap();
                let mut numbers: Vec<u64> = range.split([':', '-']).map(|number| number.parse().unwrap()).collect();
                numbers[0] -= 1;
                if numbers.len() == 4 {
                    numbers[2] -= 1;
                }
                add(occurrence(&numbers, name, roles));
            }
            _ => {
                let (relation, target) = rest.split_once(' ').unwrap();
                let flags = match relation {
                    "implements" => number(3, 1),
                    "overrides" => [number(2, 1), number(3, 1)].concat(),
                    "is" => number(5, 1),
                    _ => panic!("{line}"),
                };
                let relation = field(4, &[field(1, symbol(target).as_bytes()), flags].concat());
                add(field(3, &[field(1, symbol(word).as_bytes()), relation].concat()));
            }
        }
    }
    bytes.extend(metadata(tool.0, tool.1));
    for document in &documents {
        bytes.extend(field(2, document));
    }
    bytes
}
