//! Unguessable bytes and ids. Each function fails if the operating system provides no random numbers.

use std::io;

use crate::text;

/// The letters and digits of [`base32`] (RFC 4648, lower case).
pub const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

pub fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// Returns `N` random bytes as lower-case hexadecimal digits.
pub fn hex<const N: usize>() -> io::Result<String> {
    Ok(text::hex(&bytes::<N>()?))
}

/// Returns `N` random characters of [`BASE32`].
pub fn base32<const N: usize>() -> io::Result<String> {
    let letters = bytes::<N>()?.map(|byte| BASE32.get(usize::from(byte % 32)).copied().map(char::from));
    Ok(letters.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_length_and_alphabet() {
        let (digits, letters) = (hex::<16>().unwrap(), base32::<10>().unwrap());
        assert!(digits.len() == 32 && digits.bytes().all(|byte| b"0123456789abcdef".contains(&byte)), "{digits}");
        assert!(letters.len() == 10 && letters.bytes().all(|byte| BASE32.contains(&byte)), "{letters}");
        assert_ne!(digits, hex::<16>().unwrap());
    }
}
