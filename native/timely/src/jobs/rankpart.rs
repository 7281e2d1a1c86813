//! A worker's vertices with their out-edges and ranks. Each round it sends each worker one message, in which what goes to
//! one vertex is added up already.

/// Which ranks.
#[derive(Clone, Copy)]
pub struct Spec {
    pub vertices: u32,
    pub damping: f64,
    /// Whether ranks of vertices without out-edges go to all vertices; otherwise they are lost.
    pub spread: bool,
    /// Whether edges with the same ends count as one.
    pub merge: bool,
}

pub struct Part {
    spec: Spec,
    first: u32,
    ranks: Vec<f64>,
    /// One over the number of out-edges, or 0 where there is none.
    shares: Vec<f64>,
    /// Distinct targets, ascending; the edges to target i come from sources[starts[i]] to sources[starts[i + 1] - 1].
    targets: Vec<u32>,
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Part {
    /// The vertices from `first` to `end`, of their edges: source and target, 4 bytes each.
    pub fn build<'a>(
        spec: Spec,
        first: u32,
        end: u32,
        edges: impl Iterator<Item = &'a [u8]>,
    ) -> Self {
        let mut all: Vec<u64> = edges
            .flat_map(|bytes| bytes.chunks_exact(8))
            .map(|edge| u64::from(word(&edge[4..])) << 32 | u64::from(word(edge)))
            .collect();
        all.sort_unstable();
        if spec.merge {
            all.dedup();
        }
        let (mut targets, mut starts) = (Vec::new(), Vec::new());
        let mut shares = vec![0.0; (end - first) as usize];
        for (at, edge) in all.iter().enumerate() {
            let target = (edge >> 32) as u32;
            if targets.last() != Some(&target) {
                targets.push(target);
                starts.push(at);
            }
            shares[(*edge as u32 - first) as usize] += 1.0;
        }
        starts.push(all.len());
        for share in shares.iter_mut().filter(|share| **share > 0.0) {
            *share = 1.0 / *share;
        }
        Self {
            spec,
            first,
            ranks: vec![1.0 / f64::from(spec.vertices); shares.len()],
            shares,
            targets,
            starts,
            sources: all.iter().map(|edge| *edge as u32 - first).collect(),
        }
    }

    /// The rank of one of its vertices.
    pub fn rank(&self, vertex: u32) -> f64 {
        self.ranks[(vertex - self.first) as usize]
    }

    /// The message of this round to some vertices: the sum of the ranks without out-edges; then vertex and what comes to it.
    pub fn message(&self, from: u32, to: u32) -> Vec<u8> {
        let place = |vertex| self.targets.partition_point(|target| *target < vertex);
        let (low, high) = (place(from), place(to));
        let mut bytes = Vec::with_capacity(8 + 12 * (high - low));
        let without = self
            .ranks
            .iter()
            .zip(&self.shares)
            .filter(|(_, share)| **share == 0.0);
        // compensated (Kahan): a plain sum of as many equal ranks is off by more with each
        let (lost, _) = without.fold((0.0, 0.0), |(sum, over): (f64, f64), (rank, _)| {
            let next = rank - over;
            let all = sum + next;
            (all, all - sum - next)
        });
        bytes.extend_from_slice(&lost.to_le_bytes());
        for i in low..high {
            let edges = &self.sources[self.starts[i]..self.starts[i + 1]];
            let sum: f64 = edges
                .iter()
                .map(|source| self.ranks[*source as usize] * self.shares[*source as usize])
                .sum();
            bytes.extend_from_slice(&self.targets[i].to_le_bytes());
            bytes.extend_from_slice(&sum.to_le_bytes());
        }
        bytes
    }

    /// The ranks after a round, from the messages of all workers.
    pub fn next<'a>(&mut self, messages: impl Iterator<Item = &'a [u8]>) {
        let mut came = vec![0.0; self.ranks.len()];
        let mut lost = 0.0;
        for message in messages {
            lost += double(message);
            for entry in message[8..].chunks_exact(12) {
                came[(word(entry) - self.first) as usize] += double(&entry[4..]);
            }
        }
        let count = f64::from(self.spec.vertices);
        let all = if self.spec.spread { lost / count } else { 0.0 };
        for (rank, came) in self.ranks.iter_mut().zip(came) {
            *rank = (1.0 - self.spec.damping) / count + self.spec.damping * (came + all);
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
}

fn double(bytes: &[u8]) -> f64 {
    f64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))
}
