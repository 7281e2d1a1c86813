//! Counts per client, written in the text formats of Lustre's client counters.

use crate::op::Op;
use std::fmt::Write;

/// Count, smallest, largest, sum and sum of squares of one quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    count: u64,
    min: u64,
    max: u64,
    sum: u64,
    squares: u128,
}

impl Tally {
    fn add(&mut self, value: u64) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += value;
        self.squares += u128::from(value) * u128::from(value);
    }

    fn merge(&mut self, other: &Tally) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn line(&self, text: &mut String, name: &str, unit: &str) {
        let Tally {
            count,
            min,
            max,
            sum,
            squares,
        } = self;
        // Lustre leaves out counters that are still zero.
        if *count > 0 {
            let _ = writeln!(
                text,
                "{name:<25} {count} samples [{unit}] {min} {max} {sum} {squares}"
            );
        }
    }
}

/// All counters of one client. Times are in microseconds, as Lustre's are.
#[derive(Clone, Debug)]
pub struct Counters {
    latency: [Tally; Op::COUNT],
    requests: [Tally; Op::COUNT],
    read_bytes: Tally,
    write_bytes: Tally,
}

impl Default for Counters {
    fn default() -> Self {
        Counters {
            latency: [Tally::default(); Op::COUNT],
            requests: [Tally::default(); Op::COUNT],
            read_bytes: Tally::default(),
            write_bytes: Tally::default(),
        }
    }
}

impl Counters {
    /// An operation the client saw take this long.
    pub fn operation(&mut self, op: Op, nanoseconds: u64) {
        self.latency[op.index()].add(nanoseconds / 1000);
    }

    /// A request to the metadata server; an operation covered by an intent sends none.
    pub fn request(&mut self, op: Op, nanoseconds: u64) {
        self.requests[op.index()].add(nanoseconds / 1000);
    }

    pub fn bytes(&mut self, op: Op, bytes: u64) {
        match op {
            Op::Read => self.read_bytes.add(bytes),
            Op::Write => self.write_bytes.add(bytes),
            _ => {}
        }
    }

    /// `llite.*.stats`.
    pub fn llite(&self, stamp: &str) -> String {
        let mut text = header(stamp);
        self.read_bytes.line(&mut text, "read_bytes", "bytes");
        self.write_bytes.line(&mut text, "write_bytes", "bytes");
        for op in Op::all().filter(|op| !op.llite().is_empty()) {
            self.latency[op.index()].line(&mut text, op.llite(), "usec");
        }
        text
    }

    /// `mdc.*.stats`: the wait of all metadata requests, then each kind.
    pub fn mdc(&self, stamp: &str) -> String {
        let named = sum_by(&self.requests, Op::mdc);
        let mut all = Tally::default();
        named.iter().for_each(|(_, tally)| all.merge(tally));
        let mut text = header(stamp);
        all.line(&mut text, "req_waittime", "usec");
        for (name, tally) in &named {
            tally.line(&mut text, name, "usec");
        }
        text
    }

    /// `mdc.*.md_stats`: counts only.
    pub fn md(&self, stamp: &str) -> String {
        let mut text = header(stamp);
        for (name, tally) in sum_by(&self.requests, Op::md) {
            if tally.count > 0 {
                let _ = writeln!(text, "{name:<25} {} samples [reqs]", tally.count);
            }
        }
        text
    }
}

fn header(stamp: &str) -> String {
    format!("{:<25} {stamp} secs.nsecs\n", "snapshot_time")
}

/// Several operations share a Lustre counter; names keep the order of the table.
fn sum_by(
    tallies: &[Tally; Op::COUNT],
    name: fn(Op) -> &'static str,
) -> Vec<(&'static str, Tally)> {
    let mut sums: Vec<(&'static str, Tally)> = Vec::new();
    for op in Op::all().filter(|&op| !name(op).is_empty()) {
        let tally = &tallies[op.index()];
        match sums.iter_mut().find(|(known, _)| *known == name(op)) {
            Some((_, sum)) => sum.merge(tally),
            None => sums.push((name(op), *tally)),
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::Counters;
    use crate::op::Op;

    #[test]
    fn llite_lines_are_as_lustre_writes_them() {
        let mut counters = Counters::default();
        counters.operation(Op::Open, 100_000);
        counters.operation(Op::Open, 300_000);
        counters.bytes(Op::Read, 4096);
        let want = "snapshot_time             1.5 secs.nsecs\n\
                    read_bytes                1 samples [bytes] 4096 4096 4096 16777216\n\
                    open                      2 samples [usec] 100 300 400 100000\n";
        assert_eq!(counters.llite("1.5"), want);
    }

    #[test]
    fn metadata_requests_sum_into_req_waittime_and_shared_names() {
        let mut counters = Counters::default();
        counters.request(Op::Lookup, 10_000);
        counters.request(Op::Open, 20_000);
        counters.request(Op::Close, 30_000);
        let text = counters.mdc("0.0");
        assert!(text.contains("req_waittime              3 samples [usec] 10 30 60 1400\n"));
        assert!(text.contains("ldlm_ibits_enqueue        2 samples [usec] 10 20 30 500\n"));
        assert!(text.contains("mds_close                 1 samples [usec] 30 30 30 900\n"));
        assert!(counters
            .md("0.0")
            .contains("intent_lock               2 samples [reqs]\n"));
    }
}
