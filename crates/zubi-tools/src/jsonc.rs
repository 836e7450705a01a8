//! The JSON dialect of settings and tool files.

use jsonc_parser::ParseOptions;

/// JSON with comments as VS Code reads its own files: comments and trailing commas, and no other extension.
pub const VS_CODE_DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};
