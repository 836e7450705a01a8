//! Mutual authentication over a TCP connection: each end proves that it knows the token in the host's discovery file.
//!
//! Every user of the machine can connect to a loopback port, and can listen on one. So neither end sends any other
//! message before the other has authenticated, and the token never crosses the wire:
//!
//! ```text
//! host   → client   {"nonce":"<server nonce>"}
//! client → host     {"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"nonce":"<client nonce>","proof":"<proof>"}}
//! host   → client   {"jsonrpc":"2.0","id":1,"result":{"proof":"<proof>"}}
//! ```
//!
//! Each message is one line. Nonces, proofs and the token are 32 bytes, written as 64 lower-case hexadecimal digits;
//! the HMAC is computed over the bytes, not over the digits:
//!
//! ```text
//! proof of the client = HMAC-SHA256(key = token, message = "zubi client" 00 <server nonce> <client nonce>)
//! proof of the host   = HMAC-SHA256(key = token, message = "zubi server" 00 <server nonce> <client nonce>)
//! ```
//!
//! where `"zubi client"` is eleven bytes of ASCII and `00` one byte: 76 bytes in all. A nonce is random and used for
//! one connection only, which prevents replay.
//!
//! A client with a wrong proof gets an error response (-32000) and is disconnected. A client whose first line is
//! anything else is disconnected without a response.

use std::fmt;
use std::io;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::Sha256;
use zubi_base::random;

/// Role in the handshake. The proofs of the two differ, so that neither end can reflect the other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandshakeRole {
    Client,
    Server,
}

impl HandshakeRole {
    fn label(self) -> &'static [u8] {
        match self {
            Self::Client => b"zubi client\0",
            Self::Server => b"zubi server\0",
        }
    }
}

/// 32 bytes: a nonce, a proof or a token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bytes32([u8; 32]);

impl Bytes32 {
    /// Generates unguessable bytes. Fails if the system has no random numbers.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random::bytes()?))
    }

    /// Parses 64 lower-case hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes = HEXLOWER.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    pub fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

/// Hides the bytes, which may be a secret.
impl fmt::Debug for Bytes32 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Bytes32(…)")
    }
}

impl Serialize for Bytes32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Bytes32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| de::Error::custom("expected 64 lower-case hexadecimal digits"))
    }
}

fn mac(token: Bytes32, side: HandshakeRole, server: Bytes32, client: Bytes32) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&token.0).ok()?;
    mac.update(side.label());
    mac.update(&server.0);
    mac.update(&client.0);
    Some(mac)
}

/// Computes the proof of one side for the two nonces.
pub fn compute_proof(token: Bytes32, side: HandshakeRole, server: Bytes32, client: Bytes32) -> Bytes32 {
    // HMAC accepts a key of any length, so this never falls back.
    let proof = mac(token, side, server, client).map(|mac| mac.finalize().into_bytes().into());
    Bytes32(proof.unwrap_or_default())
}

/// Checks the proof of one side, in constant time.
pub fn verify_proof(proof: Bytes32, token: Bytes32, side: HandshakeRole, server: Bytes32, client: Bytes32) -> bool {
    mac(token, side, server, client).is_some_and(|mac| mac.verify_slice(&proof.0).is_ok())
}

/// First line of a host.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Challenge {
    pub(crate) nonce: Bytes32,
}

/// Params of `authenticate`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Authenticate {
    pub(crate) nonce: Bytes32,
    pub(crate) proof: Bytes32,
}

/// Result of `authenticate`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AuthResult {
    pub(crate) proof: Bytes32,
}

/// Method of the first request over the port.
pub(crate) const AUTHENTICATE: &str = "authenticate";

/// Maximum length of a handshake line, in bytes.
pub(crate) const MAX_LINE: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(fill: u8) -> Bytes32 {
        Bytes32([fill; 32])
    }

    #[test]
    fn proofs_match_those_of_other_implementations() {
        // python3: hmac.new(b"\x01" * 32, b"zubi client\0" + b"\x02" * 32 + b"\x03" * 32, "sha256").hexdigest()
        let proof = |side| compute_proof(bytes(1), side, bytes(2), bytes(3)).to_hex();
        insta::assert_snapshot!(proof(HandshakeRole::Client), @"c4dcd456afbd044355c652d06a47980d6c9465362e77c26d6c134bd67c7cd8e7");
        insta::assert_snapshot!(proof(HandshakeRole::Server), @"2cb92cb711e52b738f7f9c77ede138644848286cfe651524ea3b86095a77584d");
    }

    #[test]
    fn a_proof_is_valid_for_its_token_role_and_nonces_only() {
        let proof = compute_proof(bytes(1), HandshakeRole::Client, bytes(2), bytes(3));
        assert!(verify_proof(proof, bytes(1), HandshakeRole::Client, bytes(2), bytes(3)));
        assert!(!verify_proof(proof, bytes(9), HandshakeRole::Client, bytes(2), bytes(3)), "another token");
        assert!(!verify_proof(proof, bytes(1), HandshakeRole::Server, bytes(2), bytes(3)), "reflected");
        assert!(!verify_proof(proof, bytes(1), HandshakeRole::Client, bytes(3), bytes(2)), "another order");
        assert!(!verify_proof(proof, bytes(1), HandshakeRole::Client, bytes(9), bytes(3)), "replayed");
        assert!(!verify_proof(bytes(0), bytes(1), HandshakeRole::Client, bytes(2), bytes(3)));
    }

    #[test]
    fn hexadecimal_is_read_strictly() {
        let random = Bytes32::random().unwrap();
        assert_eq!(Bytes32::from_hex(&random.to_hex()), Some(random));
        assert_ne!(Bytes32::random().unwrap(), random);
        for wrong in [String::new(), "a".repeat(63), "a".repeat(65), "A".repeat(64), "g".repeat(64), "é".repeat(32)] {
            assert_eq!(Bytes32::from_hex(&wrong), None, "{wrong}");
        }
        assert_eq!(format!("{random:?}"), "Bytes32(…)");
    }
}
