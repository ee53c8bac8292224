//! `archive/10000`: a fight of 2,000 messages is found by its tags in a conversation of 10,000, of
//! which a tenth is tagged, and cut out; its summary takes its place.

use criterion::{BatchSize, Criterion};
use playhouse::context::{AgentContext, SearchOrder, StoredMessage};
use playhouse::message::{Body, Tag, TagKey, Tags};

use crate::common;

const MESSAGES: usize = 10_000;
const FIGHT: std::ops::Range<usize> = 4_000..6_000;

fn conversation() -> AgentContext {
    let mut context = AgentContext::new("Wren");
    context.add_system_message("You are Wren.").unwrap();
    for number in 1..MESSAGES {
        let tags = match number {
            _ if number == FIGHT.start => fight(TagKey::new("combat_initialization").of("Mill")),
            _ if number == FIGHT.end - 1 => fight(TagKey::new("combat_outcome").of("Mill")),
            _ if number % 10 == 0 => Tag::STAGE_TRANSITION.of(format!("Stage {number}")).into(),
            _ => Tags::new(),
        };
        context.add_human_message(common::line(number, 300), tags);
    }
    context
}

fn fight(tag: Tag) -> Tags {
    Tags::from(tag).with(TagKey::new("combat_id").of("7"))
}

fn archive(context: &mut AgentContext, summary: Body) -> Vec<StoredMessage> {
    let newest = |key| {
        context.filter_human_messages_by_attribute(key, "Mill", SearchOrder::NewestFirst)[0].id
    };
    let (begin, end) = (newest("combat_initialization"), newest("combat_outcome"));
    let tags = Tag::ARCHIVE.of("Mill");
    let cut = context
        .replace_message_range(begin, end, summary, tags)
        .unwrap();
    assert_eq!(cut.len(), FIGHT.len());
    cut
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let whole = conversation();
    let mut group = criterion.benchmark_group("archive/10000");
    group.bench_function("find and cut 2000", |bencher| {
        bencher.iter_batched(
            || {
                (
                    whole.clone(),
                    Body::text("I fought at the mill, and we won."),
                )
            },
            |(mut context, summary)| {
                let cut = archive(&mut context, summary);
                (context, cut)
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}
