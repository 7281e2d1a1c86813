//! Mappings that are kept while the file changes, and what they must show.

use crate::file::{self, Access, Mapping};
use crate::model::Model;
use crate::rng::Rng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::rc::Rc;

/// A file as it has to be; mappings of one that was removed still show it.
pub type Expected = Rc<RefCell<Model>>;

/// A mapping that is kept.
pub struct Held {
    mapping: Mapping,
    access: Access,
    /// Where it begins in the file: at a page.
    at: usize,
    expected: Expected,
    /// Pages that were written privately, as they were then.
    own: BTreeMap<usize, Vec<u8>>,
}

impl Held {
    pub fn new(
        file: &File,
        at: usize,
        len: usize,
        access: Access,
        expected: &Expected,
    ) -> io::Result<Held> {
        let at = at - at % file::page();
        let mapping = Mapping::new(file, at, len, access)?;
        Ok(Held {
            mapping,
            access,
            at,
            expected: expected.clone(),
            own: BTreeMap::new(),
        })
    }

    /// How many bytes of it lie before the file's end: behind that a touch would be a signal.
    fn visible(&self) -> usize {
        let size = self.expected.borrow().len();
        size.saturating_sub(self.at).min(self.mapping.len())
    }

    /// Whether a cut of the file to `size` would take pages away that this process wrote for itself.
    pub fn would_lose(&self, size: usize) -> bool {
        self.access == Access::Private && self.at + self.mapping.len() > size
    }

    pub fn check(&self) -> Result<(), String> {
        let (len, page) = (self.visible(), file::page());
        let seen = &self.mapping.bytes()[..len];
        let mut want = self.expected.borrow().slice(self.at, len).to_vec();
        for (&n, bytes) in &self.own {
            let (from, to) = (n * page, ((n + 1) * page).min(len));
            if from < to {
                want[from..to].copy_from_slice(&bytes[..to - from]);
            }
        }
        let same = seen.iter().zip(&want).position(|(a, b)| a != b);
        same.map_or(Ok(()), |p| {
            let (have, want) = (seen[p], want[p]);
            Err(format!(
                "a {:?} mapping at {} has {have:#04x} at {p} instead of {want:#04x}",
                self.access, self.at
            ))
        })
    }

    /// Writes through the mapping.
    pub fn write(&mut self, rng: &mut Rng) {
        let len = self.visible();
        if len == 0 || self.access == Access::Read {
            return;
        }
        let from = rng.below(len);
        let most = rng.below((len - from).min(20_000));
        let data = rng.bytes(1 + most);
        if self.access == Access::Private {
            self.keep(from, &data);
        } else {
            self.expected.borrow_mut().write(self.at + from, &data);
        }
        self.mapping.put(from, &data);
    }

    fn keep(&mut self, from: usize, data: &[u8]) {
        let page = file::page();
        for n in from / page..=(from + data.len() - 1) / page {
            let model = self.expected.borrow();
            let bytes = self.own.entry(n).or_insert_with(|| {
                let mut bytes = model.slice(self.at + n * page, page).to_vec();
                bytes.resize(page, 0);
                bytes
            });
            let (start, end) = (
                (n * page).max(from),
                ((n + 1) * page).min(from + data.len()),
            );
            bytes[start - n * page..end - n * page]
                .copy_from_slice(&data[start - from..end - from]);
        }
    }

    /// Lets go of some pages at the beginning or the end, or changes the length; false if nothing is left.
    pub fn reshape(&mut self, rng: &mut Rng) -> io::Result<bool> {
        let (page, len) = (file::page(), self.mapping.len());
        let pages = len.div_ceil(page);
        match rng.below(3) {
            0 if pages > 1 && self.access != Access::Private => {
                let gone = 1 + rng.below(pages - 1);
                self.mapping.drop_front(gone * page);
                self.at += gone * page;
            }
            1 if pages > 1 => self
                .mapping
                .drop_back((pages - 1 - rng.below(pages - 1)) * page),
            2 if self.access != Access::Private => {
                self.mapping.resize(page * (1 + rng.below(2 * pages)))?
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
