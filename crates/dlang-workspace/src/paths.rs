//! Paths as text: their meaning without a file system.

use camino::{Utf8Path, Utf8PathBuf};

/// Returns the path without `.` and `..`. `..` above the root of the file system stays at the root; a relative path
/// retains those that point above its beginning.
pub fn normalize(path: &Utf8Path) -> Utf8PathBuf {
    use camino::Utf8Component as Part;
    let mut normal = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Part::CurDir => {}
            Part::ParentDir => match normal.components().next_back() {
                Some(Part::Normal(_)) => _ = normal.pop(),
                Some(Part::RootDir | Part::Prefix(_)) => {}
                Some(Part::CurDir | Part::ParentDir) | None => normal.push(".."),
            },
            Part::Prefix(_) | Part::RootDir | Part::Normal(_) => normal.push(part.as_str()),
        }
    }
    normal
}

/// Appends a path of a manifest or a specifier to a folder, as text. Both slashes are separators, as on every system; a
/// leading one is ignored, so that only `..` can leave the folder.
pub(crate) fn append(folder: &Utf8Path, relative: &str) -> Utf8PathBuf {
    let mut path = folder.to_owned();
    for part in parts(relative) {
        match part {
            ".." => path = normalize(&path.join("..")),
            part => path.push(part),
        }
    }
    path
}

/// Whether a path leads above its starting folder at any point.
pub(crate) fn is_climbing(relative: &str) -> bool {
    let mut depth = 0_usize;
    for part in parts(relative) {
        if part == ".." {
            let Some(up) = depth.checked_sub(1) else { return true };
            depth = up;
        } else {
            depth += 1;
        }
    }
    false
}

/// Whether a path is absolute on any system: a manifest is read on all of them.
pub(crate) fn is_absolute(path: &str) -> bool {
    let mut characters = path.chars();
    match (characters.next(), characters.next()) {
        (Some('/' | '\\'), _) => true,
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Returns the extension of the last part, without the dot. A leading dot begins no extension.
pub(crate) fn extension(path: &str) -> Option<&str> {
    Utf8Path::new(parts(path).last()?).extension()
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalized_and_classified() {
        let show = |relative| {
            format!("{} {} {}", append("/w/m".into(), relative), is_climbing(relative), is_absolute(relative))
        };
        let all = ["./a/../b", "../x", "a/../../x", "/etc", "c:\\x", "..\\x", "../../../..", "", "a//b/.", "é:"];
        insta::assert_snapshot!(all.map(show).join("\n"), @r"
        /w/m/b false false
        /w/x true false
        /w/x true false
        /w/m/etc false true
        /w/m/c:/x false true
        /w/x true false
        / true false
        /w/m false false
        /w/m/a/b false false
        /w/m/é: false false
        ");
        assert_eq!(normalize("a/../../b".into()), "../b");
        assert_eq!(normalize("/../b/./c/..".into()), "/b");
        assert_eq!(["x/.hidden", "x.d/y", "x/y.dlang", ""].map(extension), [None, None, Some("dlang"), None]);
    }
}
