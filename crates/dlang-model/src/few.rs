//! List that usually has one entry.

/// One value or several, for tables by name: nearly every name is declared once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Few<T> {
    One(T),
    Many(Vec<T>),
}

impl<T: Copy> Few<T> {
    pub(crate) fn push(&mut self, value: T) {
        match self {
            Self::One(first) => *self = Self::Many(vec![*first, value]),
            Self::Many(values) => values.push(value),
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}
