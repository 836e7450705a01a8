//! The shapes of the tokens of known issuers, and names whose values are secrets.

/// The characters of a token after its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    Alphanumeric,
    Hex,
    Upper,
    /// Letters, digits, `_` and `-`: Base64 of URLs (RFC 4648, section 5), or words.
    Word,
    /// The characters of [`Self::Word`], `.`, `=` and `+`.
    Dotted,
    /// Base64 (RFC 4648, section 4).
    Base64,
    /// Letters, digits, `_`, `-` and `/`: a part of a path.
    Path,
    /// Everything but white space, quotation marks and separators of lists.
    Value,
}

impl Alphabet {
    pub(super) fn has(self, c: char) -> bool {
        match self {
            Self::Alphanumeric => c.is_ascii_alphanumeric(),
            Self::Hex => c.is_ascii_hexdigit(),
            Self::Upper => c.is_ascii_uppercase() || c.is_ascii_digit(),
            Self::Word => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Dotted => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | '+'),
            Self::Base64 => c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='),
            Self::Path => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/'),
            Self::Value => !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | ',' | ';' | ')'),
        }
    }
}

/// A prefix, the characters that follow it, their minimum number, and the kind. The sources are the issuers'
/// documentation of token formats; a lower length than theirs covers older formats.
pub(super) type Shape = (&'static str, Alphabet, usize, &'static str);

pub(super) const SHAPES: &[Shape] = &[
    ("ghp_", Alphabet::Alphanumeric, 16, "github-token"),
    ("gho_", Alphabet::Alphanumeric, 16, "github-token"),
    ("ghu_", Alphabet::Dotted, 16, "github-token"),
    ("ghs_", Alphabet::Dotted, 16, "github-token"),
    ("ghr_", Alphabet::Alphanumeric, 16, "github-token"),
    ("github_pat_", Alphabet::Word, 16, "github-token"),
    ("glpat-", Alphabet::Dotted, 16, "gitlab-token"),
    ("gldt-", Alphabet::Word, 16, "gitlab-token"),
    ("glrt-", Alphabet::Dotted, 16, "gitlab-token"),
    ("glptt-", Alphabet::Word, 16, "gitlab-token"),
    ("ATBB", Alphabet::Alphanumeric, 28, "atlassian-token"),
    ("ATATT3", Alphabet::Dotted, 50, "atlassian-token"),
    ("ATCTT3", Alphabet::Dotted, 50, "atlassian-token"),
    (MODEL_KEY, Alphabet::Word, 16, "model-key"),
    ("gsk_", Alphabet::Alphanumeric, 32, "model-key"),
    ("xai-", Alphabet::Alphanumeric, 32, "model-key"),
    ("pplx-", Alphabet::Alphanumeric, 32, "model-key"),
    ("nvapi-", Alphabet::Word, 40, "model-key"),
    ("r8_", Alphabet::Alphanumeric, 30, "model-key"),
    ("hf_", Alphabet::Alphanumeric, 20, "hugging-face-token"),
    ("sk_live_", Alphabet::Alphanumeric, 12, "stripe-key"),
    ("rk_live_", Alphabet::Alphanumeric, 12, "stripe-key"),
    ("whsec_", Alphabet::Base64, 24, "stripe-key"),
    ("xoxb-", Alphabet::Word, 10, "slack-token"),
    ("xoxp-", Alphabet::Word, 10, "slack-token"),
    ("xoxa-", Alphabet::Word, 10, "slack-token"),
    ("xoxs-", Alphabet::Word, 10, "slack-token"),
    ("xoxe-", Alphabet::Word, 10, "slack-token"),
    ("xapp-", Alphabet::Word, 10, "slack-token"),
    ("AKIA", Alphabet::Upper, 16, "aws-key"),
    ("ASIA", Alphabet::Upper, 16, "aws-key"),
    ("AIza", Alphabet::Word, 20, "google-key"),
    ("ya29.", Alphabet::Dotted, 16, "google-token"),
    ("GOCSPX-", Alphabet::Word, 20, "google-key"),
    ("npm_", Alphabet::Alphanumeric, 20, "npm-token"),
    ("pypi-AgE", Alphabet::Word, 20, "pypi-token"),
    ("rubygems_", Alphabet::Hex, 40, "rubygems-token"),
    ("dckr_pat_", Alphabet::Word, 20, "docker-token"),
    ("dckr_oat_", Alphabet::Word, 20, "docker-token"),
    ("dop_v1_", Alphabet::Hex, 20, "digitalocean-token"),
    ("doo_v1_", Alphabet::Hex, 20, "digitalocean-token"),
    ("dor_v1_", Alphabet::Hex, 20, "digitalocean-token"),
    ("SG.", Alphabet::Dotted, 40, "sendgrid-key"),
    ("xkeysib-", Alphabet::Word, 40, "brevo-key"),
    ("AGE-SECRET-KEY-1", Alphabet::Upper, 50, "age-key"),
    ("hvs.", Alphabet::Word, 20, "vault-token"),
    ("hvb.", Alphabet::Word, 20, "vault-token"),
    ("glsa_", Alphabet::Alphanumeric, 32, "grafana-token"),
    ("glc_", Alphabet::Base64, 40, "grafana-token"),
    ("dapi", Alphabet::Hex, 32, "databricks-token"),
    ("shpat_", Alphabet::Hex, 32, "shopify-token"),
    ("shpca_", Alphabet::Hex, 32, "shopify-token"),
    ("shppa_", Alphabet::Hex, 32, "shopify-token"),
    ("shpss_", Alphabet::Hex, 32, "shopify-token"),
    ("lin_api_", Alphabet::Alphanumeric, 30, "linear-key"),
    ("lin_oauth_", Alphabet::Alphanumeric, 30, "linear-key"),
    ("sbp_", Alphabet::Hex, 40, "supabase-token"),
    ("NRAK-", Alphabet::Upper, 20, "new-relic-key"),
    ("pul-", Alphabet::Hex, 40, "pulumi-token"),
    ("tskey-", Alphabet::Word, 20, "tailscale-key"),
    ("dp.pt.", Alphabet::Alphanumeric, 40, "doppler-token"),
    ("sntrys_", Alphabet::Dotted, 40, "sentry-token"),
    ("sntryu_", Alphabet::Hex, 40, "sentry-token"),
    ("PMAK-", Alphabet::Word, 40, "postman-key"),
    ("figd_", Alphabet::Word, 30, "figma-token"),
    ("ntn_", Alphabet::Alphanumeric, 40, "notion-token"),
    ("sgp_", Alphabet::Word, 40, "sourcegraph-token"),
    ("phx_", Alphabet::Alphanumeric, 40, "posthog-key"),
];

/// A prefix that words of ordinary names have too (`sk-learn`).
pub(super) const MODEL_KEY: &str = "sk-";

/// Hosts and the paths of web addresses that are secrets as a whole.
pub(super) const WEBHOOKS: &[(&str, &str)] = &[
    ("hooks.slack.com", "/services/"),
    ("hooks.slack.com", "/workflows/"),
    ("discord.com", "/api/webhooks/"),
    ("discordapp.com", "/api/webhooks/"),
    ("webhook.office.com", "/webhookb2/"),
];

/// The minimum length of the secret part of a web address.
pub(super) const MIN_WEBHOOK: usize = 16;

/// Names whose values are secrets, in lower case, with the characters and the minimum length of the value.
pub(super) const NAMES: &[Shape] = &[
    ("accountkey", Alphabet::Base64, 40, "azure-key"),
    ("sharedaccesskey", Alphabet::Base64, 40, "azure-key"),
    ("aws_secret_access_key", Alphabet::Base64, 40, "aws-key"),
    ("secretaccesskey", Alphabet::Base64, 40, "aws-key"),
    ("aws_session_token", Alphabet::Base64, 100, "aws-key"),
    ("_authtoken", Alphabet::Value, 8, "npm-token"),
    ("client-key-data", Alphabet::Base64, 40, "private-key"),
];
