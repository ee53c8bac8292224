//! Which messages hold a term, and how often: one or two bytes for most of them.
//!
//! All but the latest are packed; the latest are a sorted list, packed with the others from time to
//! time.

/// A term in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub(super) entry: u32,
    /// How often the term occurs there.
    pub(super) count: u8,
}

/// The postings of all terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    /// The packed terms, sorted.
    terms: Vec<u32>,
    /// Where the packed postings of each term end.
    ends: Vec<u32>,
    /// How many messages hold each term.
    counts: Vec<u32>,
    /// For each posting the step from the message before, as a number of seven bits a byte, and a
    /// zero for each time that the term is repeated.
    packed: Vec<u8>,
    /// Of the latest messages, sorted.
    recent: Vec<(u32, Posting)>,
}

impl Postings {
    /// Adds the sorted terms of a message, which is later than all others.
    pub(super) fn add(&mut self, entry: u32, terms: &[(u32, u8)]) {
        let mut end = self.recent.len();
        let empty = Posting { entry, count: 0 };
        self.recent.resize(end + terms.len(), (0, empty));
        // From the last on, so that everything moves once.
        for (before, &(term, count)) in terms.iter().enumerate().rev() {
            let older = self.recent.get(..end).unwrap_or_default();
            let place = older.partition_point(|(known, _)| *known <= term);
            self.recent.copy_within(place..end, place + before + 1);
            if let Some(new) = self.recent.get_mut(place + before) {
                *new = (term, Posting { entry, count });
            }
            end = place;
        }
    }

    /// Takes each posting of a term, in order of the messages.
    #[inline]
    pub(super) fn each(&self, term: u32, mut take: impl FnMut(Posting)) {
        if let Ok(row) = self.terms.binary_search(&term) {
            unpack(self.packed_of(row), &mut take);
        }
        let from = self.recent.partition_point(|(known, _)| *known < term);
        let own = self.recent.get(from..).unwrap_or_default().iter();
        let own = own.take_while(|(known, _)| *known == term);
        own.for_each(|row| take(row.1));
    }

    /// How many messages hold a term.
    pub(super) fn count(&self, term: u32) -> usize {
        let packed = self.terms.binary_search(&term).ok();
        let packed = packed.and_then(|row| self.counts.get(row));
        let from = self.recent.partition_point(|(known, _)| *known < term);
        let own = self.recent.get(from..).unwrap_or_default().iter();
        let own = own.take_while(|(known, _)| *known == term).count();
        packed.map_or(0, |count| *count as usize) + own
    }

    /// Packs the latest postings with the others.
    pub(super) fn pack(&mut self) {
        let mut merged = Self::default();
        let mut recent = std::mem::take(&mut self.recent).into_iter().peekable();
        let mut postings = Vec::new();
        let mut row = 0;
        loop {
            let old = self.terms.get(row).copied();
            let new = recent.peek().map(|(term, _)| *term);
            let Some(term) = old.into_iter().chain(new).min() else {
                break;
            };
            postings.clear();
            if old == Some(term) {
                unpack(self.packed_of(row), |posting| postings.push(posting));
                row += 1;
            }
            while let Some((_, posting)) = recent.next_if(|(known, _)| *known == term) {
                postings.push(posting);
            }
            merged.terms.push(term);
            pack(&postings, &mut merged.packed);
            merged.ends.push(merged.packed.len() as u32);
            merged.counts.push(postings.len() as u32);
        }
        merged.terms.shrink_to_fit();
        merged.ends.shrink_to_fit();
        merged.counts.shrink_to_fit();
        merged.packed.shrink_to_fit();
        *self = merged;
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        (self.terms.capacity() + self.ends.capacity() + self.counts.capacity()) * 4
            + self.packed.capacity()
            + self.recent.capacity() * size_of::<(u32, Posting)>()
    }

    fn packed_of(&self, row: usize) -> &[u8] {
        let end = |row: usize| self.ends.get(row).map_or(0, |end| *end as usize);
        let from = row.checked_sub(1).map_or(0, end);
        self.packed.get(from..end(row)).unwrap_or_default()
    }
}

fn pack(postings: &[Posting], into: &mut Vec<u8>) {
    let mut last = 0;
    for posting in postings {
        // The first message of all has the step 1, too: a step of 0 says once more.
        let mut step = posting.entry + 1 - last;
        while step >= 0x80 {
            into.push(step as u8 | 0x80);
            step >>= 7;
        }
        into.push(step as u8);
        into.extend((1..posting.count).map(|_| 0));
        last = posting.entry + 1;
    }
}

#[inline]
fn unpack(bytes: &[u8], mut take: impl FnMut(Posting)) {
    let (mut next, mut step, mut shift) = (0_u32, 0_u32, 0);
    // How often the term is in the last message: zeros may follow.
    let mut count = 0_u8;
    let posting = |next: u32, count| Posting {
        entry: next - 1,
        count,
    };
    for &byte in bytes {
        if shift == 0 && (1..0x80).contains(&byte) {
            if count > 0 {
                take(posting(next, count));
            }
            (next, count) = (next + u32::from(byte), 1);
            continue;
        }
        step |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        if step == 0 {
            count = count.saturating_add(1);
        } else {
            if count > 0 {
                take(posting(next, count));
            }
            (next, count) = (next + step, 1);
        }
        (step, shift) = (0, 0);
    }
    if count > 0 {
        take(posting(next, count));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_added_is_read(
            entries in prop::collection::vec((1..2000_u32, prop::collection::btree_map(0..30_u32, 1..255_u8, 0..9)), 0..60),
            packs in 1..20_usize,
        ) {
            let mut postings = Postings::default();
            let mut expected: Vec<(u32, Posting)> = Vec::new();
            let mut entry = 0;
            for (number, (step, terms)) in entries.iter().enumerate() {
                entry += step;
                let terms: Vec<_> = terms.iter().map(|(term, count)| (*term, *count)).collect();
                postings.add(entry, &terms);
                expected.extend(terms.iter().map(|(term, count)| (*term, Posting { entry, count: *count })));
                if number % packs == 0 {
                    postings.pack();
                }
            }
            for term in 0..30 {
                let mut read = Vec::new();
                postings.each(term, |posting| read.push(posting));
                prop_assert_eq!(postings.count(term), read.len());
                let own = expected.iter().filter(|row| row.0 == term).map(|row| row.1);
                prop_assert_eq!(read, own.collect::<Vec<_>>());
            }
        }
    }
}
