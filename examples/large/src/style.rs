//! The two styles in which the language can express the same model.

/// The words that an area uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Long,
    Short,
}

impl Style {
    /// Returns the style of an area; areas alternate.
    pub(crate) fn for_area(area: usize) -> Self {
        if area.is_multiple_of(2) { Self::Long } else { Self::Short }
    }

    pub(crate) fn pick(self, long: &'static str, short: &'static str) -> &'static str {
        match self {
            Self::Long => long,
            Self::Short => short,
        }
    }

    /// Returns the separator between a property's name and its value; the language has three, which take turns.
    pub(crate) fn assign(turn: usize) -> &'static str {
        crate::words::turn(&[":", " =", " is"], turn)
    }
}
