//! Go: build constraints in the file and in its name (`go help buildconstraint`).

use camino::Utf8Path;

use super::Truth;

/// The values of `GOOS` that a file name may have (`internal/syslist` of Go 1.25).
const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

/// The values of `GOARCH` that a file name may have (`internal/syslist` of Go 1.25).
const ARCHITECTURES: &[&str] = &[
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "wasm",
];

pub(super) fn reason(path: &Utf8Path, text: &str) -> Option<String> {
    let stem = path.file_stem()?;
    let stem = stem.strip_suffix("_test").unwrap_or(stem);
    // `_GOOS`, `_GOARCH` or `_GOOS_GOARCH` at the end of the name.
    let mut parts = stem.split('_').skip(1).collect::<Vec<_>>().into_iter().rev();
    let last = parts.next().filter(|part| SYSTEMS.contains(part) || ARCHITECTURES.contains(part));
    let before =
        parts.next().filter(|part| last.is_some_and(|last| ARCHITECTURES.contains(&last)) && SYSTEMS.contains(part));
    for part in [before, last].into_iter().flatten() {
        if tag_value(part) != Truth::True {
            return Some(format!("only for {part}, by its name"));
        }
    }
    // Constraints precede the package clause.
    let head = || text.lines().take_while(|line| !line.starts_with("package "));
    let constraint = head().find_map(|line| line.strip_prefix("//go:build ")).map(|line| line.trim().to_owned());
    let constraint = constraint.or_else(|| old_constraint(head()))?;
    let mut parser = Parser { rest: &constraint };
    (parser.parse_any() != Truth::True).then(|| format!("build constraint `{constraint}`"))
}

/// Returns the `// +build` lines as one expression: a space is "or", a comma and a new line are "and".
fn old_constraint<'a>(head: impl Iterator<Item = &'a str>) -> Option<String> {
    let lines = head.filter_map(|line| line.strip_prefix("//")?.trim_start().strip_prefix("+build "));
    let any = lines.map(|line| line.split_whitespace().map(|all| all.replace(',', " && ")).collect::<Vec<_>>());
    let all = any.map(|any| match any.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", any.join(" || ")),
    });
    Some(all.collect::<Vec<_>>().join(" && ")).filter(|all| !all.is_empty())
}

/// Returns a clause if `./...` leaves a file out (`go help packages`).
pub(super) fn directory_reason(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    let relative = path.strip_prefix(folder).ok()?;
    let is_left_out = |name: &str| name == "testdata" || name.starts_with(['_', '.']);
    let name = relative.components().map(|part| part.as_str()).find(|name| is_left_out(name))?;
    Some(format!("the go command ignores `{name}`"))
}

fn tag_value(name: &str) -> Truth {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    if name == system || name == architecture || name == "gc" || name == "cgo" || name.starts_with("go1") {
        return Truth::True;
    }
    if name == "unix" {
        return cfg!(unix).into();
    }
    // A custom tag: set only by a build flag.
    Truth::False
}

/// A recursive-descent parser of a `//go:build` expression.
struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn accept(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn parse_any(&mut self) -> Truth {
        let mut value = self.parse_all();
        while self.accept("||") {
            value = value.combine_any(self.parse_all());
        }
        value
    }

    fn parse_all(&mut self) -> Truth {
        let mut value = self.parse_term();
        while self.accept("&&") {
            value = value.combine_all(self.parse_term());
        }
        value
    }

    fn parse_term(&mut self) -> Truth {
        // Each level takes at least one character; the limit of a line bounds the depth.
        let mut negated = false;
        while self.accept("!") {
            negated = !negated;
        }
        let value = if self.accept("(") && self.rest.len() < 1_000 {
            let value = self.parse_any();
            self.accept(")");
            value
        } else {
            let is_tag = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
            let end = self.rest.find(|character| !is_tag(character)).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            if name.is_empty() { Truth::Unknown } else { tag_value(name) }
        };
        if negated { value.negate() } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_of_names_and_of_texts() {
        for (name, text, excluded) in [
            ("open.go", "package a", false),
            ("open_windows.go", "package a", true),
            ("open_windows_test.go", "package a", true),
            ("open_linux.go", "package a", cfg!(not(target_os = "linux"))),
            ("open_windows_extra.go", "package a", false),
            ("windows.go", "package a", false),
            ("a.go", "//go:build integration\n\npackage a", true),
            ("a.go", "//go:build !integration\n\npackage a", false),
            ("a.go", "// Copyright\n\n//go:build (windows || plan9) && !cgo\n\npackage a", true),
            ("a.go", "//go:build go1.20 && (unix || windows)\npackage a", false),
            ("a.go", "package a\n//go:build integration", false),
            ("a.go", "//go:build ((((\npackage a", true),
            ("a.go", "// +build integration\n\npackage a", true),
            ("a.go", "// +build !integration,unix windows\n\npackage a", cfg!(not(unix))),
            ("a.go", "//go:build !x\n// +build x\n\npackage a", false),
            ("a.go", "package a\n\n// +build integration\n", false),
        ] {
            assert_eq!(reason(Utf8Path::new(name), text).is_some(), excluded, "{name}: {text}");
        }
    }
    #[test]
    fn directories_that_patterns_leave_out() {
        for (path, expected) in [
            ("/w/a/x.go", None),
            ("/w/_attic/x.go", Some("the go command ignores `_attic`")),
            ("/w/a/testdata/b/x.go", Some("the go command ignores `testdata`")),
            ("/w/.ci/x.go", Some("the go command ignores `.ci`")),
            ("/w/a/_x.go", Some("the go command ignores `_x.go`")),
        ] {
            assert_eq!(directory_reason(Utf8Path::new(path), Utf8Path::new("/w")).as_deref(), expected, "{path}");
        }
    }
}
