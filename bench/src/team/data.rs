//! The generated repository and its data in the format SCIP.

use anyhow::{Context as _, Result};
use camino::Utf8PathBuf;
use zubi_tests::Project;

/// The name of the repository: host and path of its remote.
pub(super) const NAME: &str = "git.example/team/large";

/// The numbers of definitions and of references of a document.
const DEFINITIONS: usize = 150;
const REFERENCES: usize = 350;

/// The number of popular documents, and of popular methods in each. A twentieth of the references are to them.
const POPULAR: usize = 10;

/// The fields and values of SCIP that the data need (`scip.proto`).
const METADATA: u8 = 1;
const DOCUMENT: u8 = 2;
const TOOL: u8 = 2;
const TOOL_NAME: u8 = 1;
const PATH: u8 = 1;
const OCCURRENCE: u8 = 2;
const ENCODING: u8 = 6;
const RANGE: u8 = 1;
const SYMBOL: u8 = 2;
const ROLES: u8 = 3;
const UTF_8: usize = 1;
const DEFINITION: usize = 1;
const READ: usize = 8;

/// A method of a document.
#[derive(Debug, Clone, Copy)]
struct Method {
    document: usize,
    number: usize,
}

impl Method {
    fn name(self) -> String {
        format!("m{}x{}", self.document, self.number)
    }

    fn symbol(self) -> String {
        format!("test . p 1 package/module{}/Class{}#{}().", self.document, self.number % 7, self.name())
    }
}

/// A repository with many documents.
pub(super) struct Repository {
    /// The methods of each document's lines: first those that it defines.
    documents: Vec<Vec<Method>>,
}

impl Repository {
    /// Creates the same documents for the same number.
    pub(super) fn new(documents: usize) -> Self {
        let mut random = Random(12_345);
        let mut write = |document| {
            let own = (0..DEFINITIONS).map(|number| Method { document, number });
            let mut methods: Vec<_> = own.collect();
            for _ in 0..REFERENCES {
                let is_popular = random.draw_below(20) == 0;
                let (document, number) = if is_popular { (POPULAR, POPULAR) } else { (documents, DEFINITIONS) };
                methods.push(Method { document: random.draw_below(document), number: random.draw_below(number) });
            }
            methods
        };
        Self { documents: (0..documents).map(&mut write).collect() }
    }

    /// Returns the number of occurrences in the data.
    pub(super) fn occurrences(&self) -> u64 {
        self.documents.iter().map(|methods| methods.len() as u64).sum()
    }

    /// Writes the files, commits them, and writes the data beside the project.
    pub(super) fn write(&self, project: &Project) -> Result<()> {
        let mut scip = Vec::new();
        put_bytes(&mut scip, METADATA, &bytes_field(TOOL, &bytes_field(TOOL_NAME, b"test")));
        for (number, methods) in self.documents.iter().enumerate() {
            let path = path(number);
            let names: Vec<String> = methods.iter().map(|method| method.name()).collect();
            project.write(&path, &(names.join("\n") + "\n"));
            let mut document = bytes_field(PATH, path.as_bytes());
            put_number(&mut document, ENCODING, UTF_8);
            for (line, (method, name)) in methods.iter().zip(&names).enumerate() {
                let mut range = Vec::new();
                for value in [line, 0, name.len()] {
                    put_varint(&mut range, value);
                }
                let mut occurrence = bytes_field(RANGE, &range);
                put_bytes(&mut occurrence, SYMBOL, method.symbol().as_bytes());
                put_number(&mut occurrence, ROLES, if line < DEFINITIONS { DEFINITION } else { READ });
                put_bytes(&mut document, OCCURRENCE, &occurrence);
            }
            put_bytes(&mut scip, DOCUMENT, &document);
        }
        std::fs::write(file(project), scip).context("the data are written")?;
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        for words in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["remote", "add", "origin", &format!("https://{NAME}.git")],
            &["add", "--all"],
            &["commit", "--quiet", "--message=x"],
        ] {
            project.git(&[&identity[..], words].concat());
        }
        Ok(())
    }

    /// Returns the position of the definition of a method that has references and is not popular.
    pub(super) fn position(&self, number: usize) -> String {
        let Method { document, number } = self.method(number);
        format!("{}:{}:1", path(document), number + 1)
    }

    /// Returns the name path of such a method.
    pub(super) fn name_path(&self, number: usize) -> String {
        let method = self.method(number);
        format!("Class{}/{}", method.number % 7, method.name())
    }

    /// Returns a method of another document for each number.
    fn method(&self, number: usize) -> Method {
        // A prime, so that neighbours are in other documents.
        let methods = self.documents.iter().cycle().skip(number * 7_919 % self.documents.len()).flatten();
        let is_rare = |method: &Method| method.document >= POPULAR || method.number >= POPULAR;
        let mut referenced = methods.copied().skip(DEFINITIONS).filter(is_rare);
        referenced.next().unwrap_or(Method { document: 0, number: 0 })
    }
}

/// Returns the path of the data.
pub(super) fn file(project: &Project) -> Utf8PathBuf {
    project.home().join("index.scip")
}

/// Returns the position of a popular method's definition.
pub(super) fn popular_position(number: usize) -> String {
    format!("{}:{}:1", path(number % POPULAR), number / POPULAR % POPULAR + 1)
}

fn path(document: usize) -> String {
    format!("src/d{document}.py")
}

/// Pseudorandom numbers (a linear congruential generator with Knuth's constants for MMIX).
struct Random(u64);

impl Random {
    fn draw_below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }
}

fn put_varint(bytes: &mut Vec<u8>, mut value: usize) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            break;
        }
        bytes.push(low | 0x80);
    }
}

fn put_number(bytes: &mut Vec<u8>, field: u8, value: usize) {
    bytes.push(field << 3);
    put_varint(bytes, value);
}

fn put_bytes(bytes: &mut Vec<u8>, field: u8, content: &[u8]) {
    bytes.push(field << 3 | 2);
    put_varint(bytes, content.len());
    bytes.extend_from_slice(content);
}

fn bytes_field(field: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, field, content);
    bytes
}
