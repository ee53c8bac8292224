//! What a delivery of a line to a thousand actors leaves allocated.

use stats_alloc::Region;

use crate::broadcast::{ACTORS, LINES, hall, say};
use crate::{ALLOCATOR, alone, common};

#[test]
fn a_delivery_holds_at_most_40_bytes() {
    let _alone = alone();
    let lines: Vec<_> = (0..LINES).map(|number| common::line(number, 300)).collect();
    let (mut world, mut step) = hall();
    let region = Region::new(ALLOCATOR);
    for (said, line) in lines.into_iter().enumerate() {
        say(&mut world, &mut step, line);
        if matches!(said + 1, 10 | 50 | LINES) {
            let change = region.change();
            let held = change.bytes_allocated - change.bytes_deallocated;
            let bytes = held as f64 / ((said + 1) * (ACTORS + 1)) as f64;
            assert!(bytes <= 40.0, "{bytes:.1} bytes after {} lines", said + 1);
        }
    }
}
