use super::*;

#[test]
fn shapes_table() {
    for (text, expected, kinds) in [
        ("nothing here, task-force sk-learn", "nothing here, task-force sk-learn", ""),
        ("a ghp_abcdefghijklmnopqrstuvwxyz0123456789 b", "a (redacted) b", "1 github-token"),
        ("KEY=sk-proj-abcdEFGH1234567890 x", "KEY=(redacted) x", "1 model-key"),
        ("AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLF", "(redacted) (redacted)", "2 aws-key"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer (redacted)", "1 bearer-token"),
        ("the bearer information", "the bearer information", ""),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "(redacted)", "1 json-web-token"),
        ("x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- y", "x (redacted) y", "1 private-key"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "(redacted)", "1 private-key"),
        (
            "1\t-----BEGIN PRIVATE KEY-----\n2\tab+/\n3\t-----END PRIVATE KEY-----\n4\tx",
            "1\t(redacted)\n4\tx",
            "1 private-key",
        ),
        (
            "k = \"-----BEGIN PRIVATE KEY-----\\nab\\n-----END PRIVATE KEY-----\";",
            "k = \"(redacted)\";",
            "1 private-key",
        ),
        // The end of a key in a diff.
        (
            "@@ -5,2 +5,2 @@\n BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n CKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n -----END PRIVATE KEY-----\n x",
            "@@ -5,2 +5,2 @@\n (redacted)\n x",
            "1 private-key",
        ),
        ("use this\n-----END PRIVATE KEY-----", "use this\n(redacted)", "1 private-key"),
        // Marks of a diff, and the end of a key with its short last line (`tail -n +2`).
        ("+-----BEGIN PRIVATE KEY-----\n+abc\n+-----END PRIVATE KEY-----\n+x", "+(redacted)\n+x", "1 private-key"),
        ("> -----BEGIN PRIVATE KEY-----\n> abc\n> -----END PRIVATE KEY-----", "> (redacted)", "1 private-key"),
        ("BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nab==\n-----END PRIVATE KEY-----", "(redacted)", "1 private-key"),
        ("MIIEpAIBAAKCAQEA7bq+xKcwggSjAgEAAoIBAQC7\nother", "(redacted)\nother", "1 private-key"),
        // A program that knows keys is not one: the rest of it stays.
        (
            "line.starts_with(\"-----BEGIN \") && x(\"-----BEGIN PRIVATE KEY-----\"); rest()",
            "line.starts_with(\"-----BEGIN \") && x(\"(redacted)\"); rest()",
            "1 private-key",
        ),
        ("git clone https://me:pass@host/x é", "git clone https://(redacted)@host/x é", "1 url-password"),
        ("https://host/a@b:c", "https://host/a@b:c", ""),
    ] {
        let mut counts = SecretCounts::default();
        assert_eq!(redact(text, &ShownSecrets::default(), &mut counts), expected);
        assert_eq!(counts.to_string(), kinds, "{text}");
    }
}

#[test]
fn the_user_names_what_is_shown() {
    let text = "AKIAIOSFODNN7EXAMPLE and ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    for (shown, expected) in [
        ("aws-key", "AKIAIOSFODNN7EXAMPLE and (redacted)"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE and (redacted)"),
        ("AKIA", "(redacted) and (redacted)"),
    ] {
        let shown = ShownSecrets(vec![shown.to_owned()]);
        assert_eq!(redact(text, &shown, &mut SecretCounts::default()), expected);
    }
    assert!(kinds().contains(&"aws-key") && kinds().is_sorted());
}

/// A token of each issuer, in the length of its documentation.
fn tokens() -> Vec<String> {
    let letters = "u8jzK2mQ9xVbT4nR7wLcY1pHsD6gFa3eZ5oB0iXkNvJtMqWyUrEhGdCfPlSaOb1";
    let hex = "3f9a1c7b2e8d4065af13c9e7b2d86450f1a7c3e95b2d8046";
    let first = |text: &str, length: usize| text.get(..length).unwrap().to_owned();
    let hex32 = first(hex, 32);
    let cut = |length: usize| first(letters, length);
    let upper = cut(58).to_uppercase();
    [
        format!("ghp_{}", cut(36)),
        format!("github_pat_{}_{}", cut(22), cut(59)),
        format!("glpat-{}", cut(20)),
        format!("sk-{}", cut(48)),
        format!("sk-proj-{}-{}_{}", cut(40), cut(50), cut(30)),
        format!("sk-ant-api03-{}-{}AA", cut(50), cut(40)),
        format!("sk-{hex32}"),
        format!("gsk_{}", cut(52)),
        format!("xai-{}{}", cut(40), cut(40)),
        format!("r8_{}", cut(37)),
        format!("hf_{}", cut(34)),
        format!("npm_{}", cut(36)),
        format!("AKIA{}", first(&upper, 16)),
        format!("AIza{}", cut(35)),
        format!("GOCSPX-{}", cut(28)),
        format!("AGE-SECRET-KEY-1{upper}"),
        format!("hvs.{}", cut(24)),
        format!("glsa_{}_{}", cut(32), first(hex, 8)),
        format!("dapi{hex32}"),
        format!("ATATT3{}", first(&letters.repeat(3), 186)),
        format!("dckr_pat_{}", cut(27)),
        format!("shpat_{hex32}"),
        format!("lin_api_{}", cut(40)),
        format!("sbp_{}", first(hex, 40)),
        format!("rubygems_{hex}"),
        format!("NRAK-{}", first(&upper, 27)),
        format!("SG.{}.{}", cut(22), cut(43)),
        format!("xoxb-123456789012-1234567890123-{}", cut(24)),
    ]
    .to_vec()
}

/// Texts directly before a token: the marks of diffs and of numbered lines, quotes, separators, colours, escapes.
const BEFORE: &[&str] = &[
    "",
    "+",
    "-",
    " ",
    "> ",
    "| ",
    "12:",
    "12-",
    "_",
    ".",
    "\"",
    "'",
    "`",
    "(",
    "[",
    "{",
    "=",
    ": ",
    ":",
    "/",
    "@",
    "#",
    ",",
    "key=",
    "KEY_",
    "a.",
    "//",
    "https://h/?t=",
    "%3D",
    "\\n",
    "\\t",
    "\u{1b}[32m",
    "[32m",
    "\u{1b}[1;31m+\u{1b}[m\u{1b}[32m",
    "[32m+[m[32m",
    "é",
    "\n+",
    "diff: +-",
];

#[test]
fn a_token_is_known_after_any_mark() {
    for token in tokens() {
        for before in BEFORE {
            for after in ["", "\n", "\"", ".", ", ", "\u{1b}[m", " x"] {
                let text = format!("{before}{token}{after}");
                let result = redact(&text, &ShownSecrets::default(), &mut SecretCounts::default());
                assert_eq!(result, format!("{before}{REDACTED}{after}"), "{text}");
            }
        }
        // A search that colours a part of it.
        let (start, end) = token.split_at(6);
        for text in [format!("\u{1b}[01;31m\u{1b}[K{start}\u{1b}[m\u{1b}[K{end}"), format!("[01;31m[K{start}[m[K{end}")]
        {
            let result = redact(&text, &ShownSecrets::default(), &mut SecretCounts::default());
            assert!(!result.contains(end), "{result}");
        }
    }
}

#[test]
fn values_are_redacted_and_their_names_are_not() {
    let base64 = "u8jzK2mQ9xVbT4nR7wLcY1pHsD6gFa3eZ5oB0iXk";
    for (text, expected) in [
        (
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=$B+/$B==;EndpointSuffix=core",
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=(redacted);EndpointSuffix=core",
        ),
        ("//packages.example.test/:_authToken=0a1b2c3d-4e5f", "//packages.example.test/:_authToken=(redacted)"),
        ("//packages.example.test/:_authToken=${NPM_TOKEN}", "//packages.example.test/:_authToken=${NPM_TOKEN}"),
        ("aws_secret_access_key = $B", "aws_secret_access_key = (redacted)"),
        ("+export AWS_SECRET_ACCESS_KEY='$B'", "+export AWS_SECRET_ACCESS_KEY='(redacted)'"),
        ("\"SecretAccessKey\": \"$B\",", "\"SecretAccessKey\": \"(redacted)\","),
        (
            "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']",
            "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']",
        ),
        ("    client-key-data: $B$B==", "    client-key-data: (redacted)"),
        ("machine h login me password p4ss", "machine h login me password (redacted)"),
        ("+machine h\n+  login me\n+  password p4ss\n+", "+machine h\n+  login me\n+  password (redacted)\n+"),
        ("default login me password p4ss", "default login me password (redacted)"),
        ("the machine has a login, and its password is known", "the machine has a login, and its password is known"),
        ("https://hooks.slack.com/services/T0123/B0123/abcDEF123 x", "https://hooks.slack.com/services/(redacted) x"),
        ("https://discord.com/api/webhooks/1234567890/abcDEF-_123", "https://discord.com/api/webhooks/(redacted)"),
        ("https://discord.com/api/webhooks/", "https://discord.com/api/webhooks/"),
    ] {
        let [text, expected] = [text, expected].map(|text| text.replace("$B", base64));
        assert_eq!(redact(&text, &ShownSecrets::default(), &mut SecretCounts::default()), expected);
    }
}

/// Ordinary source text that resembles prefixes of tokens.
#[test]
fn ordinary_code_has_no_secrets() {
    for line in include_str!("ordinary.txt").lines() {
        assert_eq!(find(line), [], "{line}");
        assert_eq!(find(&format!("+{line}")), [], "+{line}");
    }
}

proptest::proptest! {
    /// Names of words with separators are not secrets, whatever words they have.
    #[test]
    fn names_of_words_are_not_secrets(
        prefix in proptest::sample::select(vec!["", "sk", "task", "disk", "npm", "hf", "pypi", "r8", "gsk", "xai", "sbp", "glsa", "pul", "dapi"]),
        words in proptest::collection::vec("[a-z]{1,11}[0-9]?|[A-Z][a-z]{1,10}", 1..8),
        separator in proptest::sample::select(vec!["-", "_", "."]),
    ) {
        let name = std::iter::once(prefix.to_owned()).chain(words).collect::<Vec<_>>().join(separator);
        proptest::prop_assert_eq!(find(&name), vec![]);
    }
}
