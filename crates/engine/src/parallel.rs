//! Work on all processors, with results in the order of the items.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Applies a function to each item on all processors. The results are in the order of the items.
pub fn map<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return made;
            };
            made.push((index, make(item)));
        }
    };
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len());
    let mut made = thread::scope(|scope| {
        // A system that gives no more threads leaves the work to those that there are.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut made = work();
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        made
    });
    made.sort_unstable_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Fewer items are not worth another thread.
const MANY: usize = 256;

/// Does something with each of many items on all processors; with a few, on this thread.
pub(crate) fn for_each<T: Send>(items: &mut [T], act: impl Fn(&mut T) + Sync) {
    if items.len() < 2 * MANY {
        // Even the number of processors takes longer to find out.
        return items.iter_mut().for_each(act);
    }
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len() / MANY);
    let pieces = Mutex::new(items.chunks_mut(items.len().div_ceil(threads)));
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(piece) = next() {
            piece.iter_mut().for_each(&act);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_items() {
        let items: Vec<_> = (0..1_000_u64).collect();
        let squares = map(&items, |item| item * item);
        assert!(
            squares
                .iter()
                .zip(&items)
                .all(|(square, item)| *square == item * item)
        );
        assert_eq!(squares.len(), items.len());
        assert!(map(&[], |item: &u64| *item).is_empty());
    }
    #[test]
    fn something_is_done_once_with_each_item() {
        for count in [0, 1, MANY - 1, MANY, 10 * MANY + 1] {
            let mut items = vec![0; count];
            for_each(&mut items, |item| *item += 1);
            assert!(items.iter().all(|item| *item == 1));
        }
    }
}
