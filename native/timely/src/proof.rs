//! Who knows the cluster's secret proves it, and never sends it: a port may be somebody else's by now.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};

/// A number that nobody else can guess or use again.
pub fn nonce() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}

/// That who makes it knows the secret: `role` and `parts` differ for each side and each connection.
pub fn prove(secret: &str, role: &str, parts: &[&str]) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length is one");
    mac.update(role.as_bytes());
    for each in parts {
        mac.update(&(each.len() as u64).to_le_bytes());
        mac.update(each.as_bytes());
    }
    hex(&mac.finalize().into_bytes())
}

/// Whether two proofs are equal, in a time that does not tell how much of them is.
pub fn same(given: &str, expected: &str) -> bool {
    let pairs = given.bytes().zip(expected.bytes());
    given.len() == expected.len() && pairs.fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{nonce, prove, same};

    #[test]
    fn a_proof_holds_for_one_secret_one_role_and_the_same_parts() {
        let right = prove("secret", "joins", &["ab", "c"]);
        assert!(same(&right, &prove("secret", "joins", &["ab", "c"])));
        for other in [
            prove("", "joins", &["ab", "c"]),
            prove("secret", "accepts", &["ab", "c"]),
            prove("secret", "joins", &["a", "bc"]),
            right[1..].to_string(),
            String::new(),
        ] {
            assert!(!same(&other, &right));
        }
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }
}
