//! The role of a file by its path: a part of the program, a test, or a generated file.

use camino::Utf8Path;

/// The role of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FileRole {
    /// A part of the program.
    Source,
    /// A test, or the data of one, an example or a benchmark.
    Test,
    /// A file that a program writes, or a copy of another project.
    Generated,
}

/// Names of directories with tests, test data, examples and benchmarks.
const TEST_DIRECTORIES: &[&str] = &[
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "cypress",
    "demo",
    "demos",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "fuzz",
    "mocks",
    "sample",
    "samples",
    "snapshots",
    "spec",
    "specs",
    "test",
    "test-data",
    "testdata",
    "testing",
    "tests",
];

/// Names of directories with generated code or with copies of other projects.
const GENERATED_DIRECTORIES: &[&str] =
    &["dist", "external", "generated", "gen", "node_modules", "third-party", "third_party", "vendor", "vendored"];

/// Ends of the names of generated files.
const GENERATED_ENDS: &[&str] = &[
    ".designer.cs",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".gen.go",
    ".generated.cs",
    ".generated.ts",
    ".min.css",
    ".min.js",
    ".pb.cc",
    ".pb.go",
    ".pb.h",
    "_generated.rs",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
];

impl FileRole {
    /// Returns the role of a file, given by its path in the workspace. The directories above the workspace have no effect.
    pub(crate) fn from_path(path: &Utf8Path) -> Self {
        let Some(name) = path.file_name() else { return Self::Source };
        let lower = name.to_ascii_lowercase();
        let directories = || path.parent().into_iter().flat_map(Utf8Path::components);
        let is_in = |names: &[&str]| directories().any(|it| names.contains(&it.as_str().to_ascii_lowercase().as_str()));
        if GENERATED_ENDS.iter().any(|end| lower.ends_with(end)) || is_in(GENERATED_DIRECTORIES) {
            return Self::Generated;
        }
        let stem = lower.split('.').next().unwrap_or_default();
        let is_test = stem.starts_with("test_")
            || ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
            || [".test.", ".spec.", ".stories."].iter().any(|part| lower.contains(part))
            || ["test", "tests", "conftest"].contains(&stem)
            // `ParserTest.java`, `ParserTests.cs`.
            || ["Test", "Tests", "Spec"].iter().any(|end| name.split('.').next().is_some_and(|stem| stem.ends_with(end)));
        if is_test || is_in(TEST_DIRECTORIES) { Self::Test } else { Self::Source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_decides() {
        let role = |path: &str| FileRole::from_path(Utf8Path::new(path));
        for path in ["src/lib.rs", "app/contest.py", "app/latest.ts", "src/attestation.go", "gen.py", "src/testify.rs"]
        {
            assert_eq!(role(path), FileRole::Source, "{path}");
        }
        for path in [
            "tests/a.py",
            "src/parser/tests.rs",
            "src/parser/tests/a.rs",
            "pkg/a_test.go",
            "web/a.test.ts",
            "ParserTest.java",
            "app/test_models.py",
            "Examples/a.rs",
            "app/conftest.py",
            "src/__tests__/a.js",
        ] {
            assert_eq!(role(path), FileRole::Test, "{path}");
        }
        for path in ["api/a.pb.go", "app/a_pb2.py", "vendor/x/a.go", "src/generated/ast.rs", "web/a.min.js"] {
            assert_eq!(role(path), FileRole::Generated, "{path}");
        }
    }
}
