//! The icons of tools: one for each kind of effect, so that a user sees which tools change something.
//!
//! Every list contains an icon for each tool, so they are small: 7 × 7 pixels in lossless WebP, whose colours are fixed
//! and whose alpha channel has one bit for each pixel.

use zubi_tool_api::spec::{Effect, ToolSpec};

/// A magnifier: the tool reads.
const READ: &str = "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBIAAAAvBoABEKhgd2o//+GIRCIeGBg=";
/// A pencil: the tool plans a change.
const PLAN: &str = "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBIAAAAvBoABEChXF2s//wGG4ziOxQE=";
/// A check mark: the tool changes files.
const WRITE: &str = "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBIAAAAvBoABEKhn67sw/wEExzYOAgA=";
/// A triangle: the tool runs something.
const EXECUTE: &str = "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBIAAAAvBoABEGhxReo1/zF4/P6/xwA=";

/// Returns the URI of a tool's icon: its own, or that of its effect.
pub(crate) fn icon(spec: &ToolSpec) -> &str {
    let is_uri = |icon: &&str| icon.starts_with("https:") || icon.starts_with("data:");
    spec.icon.as_deref().filter(is_uri).unwrap_or(match spec.effect {
        Effect::Read => READ,
        Effect::Plan => PLAN,
        Effect::Write => WRITE,
        Effect::Execute | Effect::Network => EXECUTE,
    })
}
