use super::{Fault, Spec, When};
use crate::delay::Target;
use crate::op::Op;

fn struck(text: &str, seed: u64, count: u64) -> Vec<u64> {
    let mut fault = Fault::new(text, 0).unwrap();
    (1..=count)
        .filter(|_| fault.strike(seed, Op::Open, 10).is_some())
        .map(|_| 0)
        .collect()
}

#[test]
fn specs_are_read() {
    let open = Spec::Error {
        errno: libc::EIO,
        op: Some(Op::Open),
        when: When::Chance(0.001),
    };
    assert_eq!(Spec::parse("eio:open:0.001"), Ok(open));
    let full = Spec::Error {
        errno: libc::ENOSPC,
        op: Some(Op::Write),
        when: When::AfterBytes(100_000_000),
    };
    assert_eq!(Spec::parse("enospc:write:after=100MB"), Ok(full));
    let stall = Spec::Stall {
        target: Target::Metadata,
        at: 5_000_000_000,
        length: 250_000_000,
    };
    assert_eq!(Spec::parse("stall:mds:at=5s,for=250ms"), Ok(stall));
}

#[test]
fn a_wrong_spec_says_what_is_wrong() {
    for (text, part) in [
        ("eio", "must be"),
        ("eoi:open:1", "unknown error"),
        ("eio:opne:1", "unknown operation"),
        ("eio:open:2", "not a probability"),
        ("stall:mds:at=1s", "for=TIME is missing"),
        ("enospc:write:after=lots", "not a size"),
    ] {
        let message = Spec::parse(text).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn chance_is_near_its_value_and_depends_on_the_seed() {
    let hits = struck("eio:open:0.1", 1, 10_000).len();
    assert!((900..1100).contains(&hits), "{hits}");
    let at = |seed| {
        let mut fault = Fault::new("eio:open:0.1", 0).unwrap();
        (0..1000)
            .map(|_| fault.strike(seed, Op::Open, 0).is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(at(3), at(3));
    assert_ne!(at(3), at(4));
}

#[test]
fn two_faults_of_one_text_strike_apart() {
    let hits = |number| {
        let mut fault = Fault::new("eio:any:0.5", number).unwrap();
        (0..64)
            .map(|_| fault.strike(1, Op::Read, 0).is_some())
            .collect::<Vec<_>>()
    };
    assert_ne!(hits(0), hits(1));
}

#[test]
fn after_bytes_lets_exactly_that_much_through() {
    let mut fault = Fault::new("enospc:write:after=100B", 0).unwrap();
    let ok = |fault: &mut Fault| fault.strike(1, Op::Write, 40).is_none();
    assert!(ok(&mut fault) && ok(&mut fault));
    assert!(!ok(&mut fault));
    assert_eq!(fault.strike(1, Op::Write, 20), None, "20 more still fit");
    assert_eq!(fault.injected, 1);
}

#[test]
fn nth_and_every_count_from_one() {
    assert_eq!(struck("eio:open:nth=3", 1, 9).len(), 1);
    assert_eq!(struck("eio:open:every=3", 1, 9).len(), 3);
    assert_eq!(struck("eio:write:every=1", 1, 9).len(), 0);
}
