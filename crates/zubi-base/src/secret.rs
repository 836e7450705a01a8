//! Recognizes names of secrets: parameters, variables and fields. No other list of such words exists.

/// Words that occur in the names of secrets and rarely in other names.
const WORDS: &[&str] = &[
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "token",
];

/// Words that occur in many other names too.
const VAGUE: &[&str] = &["auth", "key"];

/// Whether a name indicates that its value is a secret. Ignores case, `_` and `-`. `max_tokens` is a count, not a
/// secret.
pub fn is_secret_name(name: &str) -> bool {
    let folded = normalize_name(name);
    !folded.ends_with("tokens") && WORDS.iter().any(|word| folded.contains(word))
}

/// Whether a name may indicate a secret. For uses in which a false positive is harmless and a false negative is not.
pub fn may_be_secret_name(name: &str) -> bool {
    let folded = normalize_name(name);
    WORDS.iter().chain(VAGUE).any(|word| folded.contains(word))
}

fn normalize_name(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_table() {
        for (name, is, may_be) in [
            ("GITHUB_TOKEN", true, true),
            ("apiKey", true, true),
            ("api-key", true, true),
            ("Set-Cookie", true, true),
            ("max_tokens", false, true),
            ("GOAUTH", false, true),
            ("SSH_AUTH_SOCK", false, true),
            ("keyboard", false, true),
            ("query", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_secret_name(name), may_be_secret_name(name)), (is, may_be), "{name}");
        }
    }
}
