//! What conditions say about each other, whatever happens: whether one can ever hold, and whether
//! one holds whenever another does.
//!
//! A condition is written as *cases*: it holds if one of them does, and a case does if all that it
//! says is so. What says more than a few dozen cases is left alone, and nothing is claimed about
//! it.

use playhouse_engine::locale::{UiText, text};

use super::condition::{Condition, PARTY};

/// The most cases of a condition.
const MAX_CASES: usize = 64;

/// The most that one case says.
const MAX_LITERALS: usize = 48;

/// The most that is added to the cases of one condition, those that were left out again included.
const MAX_STEPS: usize = 8_192;

/// The highest value of a bond.
const MAX_BOND: i32 = 3;

/// What is known of the world and the moment in which conditions are asked, besides what is true in
/// every world.
pub(crate) trait ConditionContext {
    /// Whether a condition without parts always holds there (`true`) or never (`false`), and why.
    fn settles(&self, condition: &Condition) -> Option<(bool, Impossible)>;
    /// The first day on which a condition without parts can hold.
    fn first_day(&self, condition: &Condition) -> u32;
    /// Whether of all conditions like this one at most one can hold: of the options of a choice
    /// that is made once, and of what the only vote may lead to.
    fn holds_alone(&self, condition: &Condition) -> bool;
}

/// Why a condition can never hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Impossible {
    Never,
    /// It contradicts itself, whatever the world is like.
    Itself(UiText),
    /// The world, as it is written, never lets it hold.
    Here(UiText),
}

impl Impossible {
    pub(crate) fn why(self) -> UiText {
        match self {
            Self::Never => text!(drama_is_never),
            Self::Itself(why) | Self::Here(why) => why,
        }
    }
}

/// The cases of a condition that do not contradict themselves.
#[derive(Clone, Debug)]
pub(crate) struct Cases<'a> {
    cases: Vec<Vec<Literal<'a>>>,
    /// Why the first case that was left out can't hold.
    left_out: Option<Impossible>,
}

/// A simple condition that holds or does not, as part of a case.
#[derive(Clone, Debug)]
struct Literal<'a> {
    claim: Claim<'a>,
    holds: bool,
    /// Where it is written, and whether that holds.
    written: (&'a Condition, bool),
    /// Whether it only follows from what is written.
    follows: bool,
}

/// What a simple condition claims, as far as it matters to others.
#[derive(Clone, Debug)]
enum Claim<'a> {
    /// Something is at this number or above.
    AtLeast(Scale<'a>, i64),
    /// Something that has one value at a time has the one that is written here.
    Is(Variable<'a>, &'a Condition),
    /// This is so, which says nothing about anything else.
    So(Statement<'a>),
    /// It is drawn, each time for itself.
    Drawn,
}

#[derive(Clone, Debug, PartialEq)]
enum Scale<'a> {
    Quality(&'a str),
    Bond(&'a str, &'a str),
    Day,
}

#[derive(Clone, Debug, PartialEq)]
enum Variable<'a> {
    Occasion,
    PlaceOf(&'a str),
    HolderOf(&'a str),
    Goal(&'a str, usize),
    ChoiceOf(&'a str),
    Vote,
}

#[derive(Clone, Debug)]
enum Statement<'a> {
    Alive(&'a str),
    Happened(&'a str),
    Other(&'a Condition),
}

/// A simple condition: always so, never so, or a claim and what follows from it.
enum Meaning<'a> {
    Settled(bool),
    Above(i32),
    Open(Claim<'a>, Vec<Claim<'a>>),
}

impl<'a> Cases<'a> {
    /// The cases in which all of these hold, or do not if that is said with it. `None` if there are
    /// too many.
    pub(crate) fn of(
        conditions: &[(&'a Condition, bool)],
        around: &dyn ConditionContext,
    ) -> Option<Self> {
        let mut work = Work {
            around,
            steps: 0,
            left_out: None,
        };
        let mut cases = vec![Vec::new()];
        for (condition, holds) in conditions {
            cases = work.narrow(cases, condition, *holds)?;
        }
        let left_out = work.left_out;
        Some(Self { cases, left_out })
    }

    /// Why none of them can hold, if so.
    pub(crate) fn impossible(&self) -> Option<Impossible> {
        let why = self.left_out.clone().unwrap_or(Impossible::Never);
        self.cases.is_empty().then_some(why)
    }

    /// Whether one of them says nothing, and so always holds.
    pub(crate) fn is_certain(&self) -> bool {
        self.cases.iter().any(Vec::is_empty)
    }

    /// Whether one of the `others` holds whenever one of these does. If not, that may still be so.
    pub(crate) fn imply<'o>(&self, others: impl IntoIterator<Item = &'o Self> + Clone) -> bool
    where
        'a: 'o,
    {
        let implied = |case: &Vec<Literal<'a>>| {
            let others = others.clone().into_iter();
            let mut wanted = others.flat_map(|other| &other.cases);
            wanted.any(|wanted| {
                let mut said = wanted.iter().filter(|literal| !literal.follows);
                said.all(|said| case.iter().any(|given| given.implies(said, said.holds)))
            })
        };
        self.cases.iter().all(implied)
    }

    /// For each case, the simple conditions that must hold.
    pub(crate) fn required(&self) -> impl Iterator<Item = Vec<&'a Condition>> {
        self.cases.iter().map(|case| {
            let held = case
                .iter()
                .filter(|literal| literal.holds && !literal.follows);
            held.map(|literal| literal.written.0).collect()
        })
    }
}

/// Putting together the cases of a condition.
struct Work<'w> {
    around: &'w dyn ConditionContext,
    steps: usize,
    left_out: Option<Impossible>,
}

impl Work<'_> {
    /// Those of the cases in which a condition holds too, or does not. `None` if they are too many.
    fn narrow<'a>(
        &mut self,
        cases: Vec<Vec<Literal<'a>>>,
        condition: &'a Condition,
        holds: bool,
    ) -> Option<Vec<Vec<Literal<'a>>>> {
        match condition {
            Condition::Not(condition) => self.narrow(cases, condition, !holds),
            Condition::All(parts) | Condition::Any(parts) => {
                if matches!(condition, Condition::All(_)) == holds {
                    let mut parts = parts.iter();
                    return parts.try_fold(cases, |cases, part| self.narrow(cases, part, holds));
                }
                if parts.is_empty() {
                    self.leave_out(|| Impossible::Itself(text!(drama_none_to_hold)));
                }
                let mut either = Vec::new();
                for part in parts {
                    either.extend(self.narrow(cases.clone(), part, holds)?);
                    if either.len() > MAX_CASES {
                        return None;
                    }
                }
                Some(either)
            }
            simple => self.narrow_simply(cases, simple, holds),
        }
    }

    fn narrow_simply<'a>(
        &mut self,
        mut cases: Vec<Vec<Literal<'a>>>,
        condition: &'a Condition,
        holds: bool,
    ) -> Option<Vec<Vec<Literal<'a>>>> {
        self.steps += 1 + cases.iter().map(|case| 1 + case.len()).sum::<usize>();
        if self.steps > MAX_STEPS {
            return None;
        }
        let (claim, consequences) = match meaning(condition, self.around) {
            Meaning::Settled(so) if so == holds => return Some(cases),
            Meaning::Settled(false) => {
                let is_never = *condition == Condition::Never;
                self.leave_out(|| {
                    if is_never {
                        Impossible::Never
                    } else {
                        Impossible::Itself(text!(drama_no_chance))
                    }
                });
                return Some(Vec::new());
            }
            Meaning::Settled(true) => {
                let always = || text!(drama_always_holds, condition = written(condition, true));
                self.leave_out(|| Impossible::Itself(always()));
                return Some(Vec::new());
            }
            Meaning::Above(_) if !holds => return Some(cases),
            Meaning::Above(max) => {
                self.leave_out(|| Impossible::Itself(text!(drama_above_max, max)));
                return Some(Vec::new());
            }
            Meaning::Open(claim, consequences) => (claim, consequences),
        };
        match self.around.settles(condition) {
            Some((so, _)) if so == holds => return Some(cases),
            Some((_, why)) => {
                self.leave_out(|| why);
                return Some(Vec::new());
            }
            None => {}
        }
        let literal = |claim, follows| Literal {
            claim,
            holds,
            written: (condition, holds),
            follows,
        };
        let mut added = vec![literal(claim, false)];
        if holds {
            let day = i64::from(self.around.first_day(condition));
            let day = (day > 0).then_some(Claim::AtLeast(Scale::Day, day));
            let consequences = consequences.into_iter().chain(day);
            added.extend(consequences.map(|claim| literal(claim, true)));
        }
        cases.retain_mut(|case| {
            let contradiction = contradiction(case, &added);
            if let Some(contradiction) = contradiction {
                self.leave_out(|| contradiction);
                return false;
            }
            case.extend(added.iter().cloned());
            match elsewhere(case) {
                None => true,
                Some(contradiction) => {
                    self.leave_out(|| contradiction);
                    false
                }
            }
        });
        let fits = cases.iter().all(|case| case.len() <= MAX_LITERALS);
        fits.then_some(cases)
    }

    fn leave_out(&mut self, why: impl FnOnce() -> Impossible) {
        if self.left_out.is_none() {
            self.left_out = Some(why());
        }
    }
}

/// What a condition without parts means. Each kind of condition is here, and only here: whether
/// nothing is known about it (`other`), or what excludes it and what follows from it.
fn meaning<'a>(condition: &'a Condition, around: &dyn ConditionContext) -> Meaning<'a> {
    let open = |claim| Meaning::Open(claim, Vec::new());
    let other = || open(Claim::So(Statement::Other(condition)));
    // One of several heroes may be what another is not.
    let is = |who: &str, variable| match who {
        PARTY => Claim::So(Statement::Other(condition)),
        _ => Claim::Is(variable, condition),
    };
    let alone = |variable| {
        if around.holds_alone(condition) {
            Claim::Is(variable, condition)
        } else {
            Claim::So(Statement::Other(condition))
        }
    };
    let alive = |who: &'a String| Claim::So(Statement::Alive(who));
    match condition {
        Condition::Always => Meaning::Settled(true),
        Condition::Never => Meaning::Settled(false),
        Condition::Chance(0) => Meaning::Settled(false),
        Condition::Chance(100..) => Meaning::Settled(true),
        Condition::Chance(_) => open(Claim::Drawn),
        Condition::At(who, _) => Meaning::Open(is(who, Variable::PlaceOf(who)), vec![alive(who)]),
        Condition::Together(names) if names.is_empty() => Meaning::Settled(true),
        Condition::Together(names) => {
            let claim = Claim::So(Statement::Other(condition));
            Meaning::Open(claim, names.iter().map(alive).collect())
        }
        Condition::Alive(who) => open(alive(who)),
        Condition::Holds(who, item) => open(is(who, Variable::HolderOf(item))),
        Condition::Quality(_, ..=0) | Condition::Day(0) => Meaning::Settled(true),
        Condition::Quality(id, least) => {
            open(Claim::AtLeast(Scale::Quality(id), i64::from(*least)))
        }
        Condition::Bond(_, _, least) if *least > MAX_BOND => Meaning::Above(MAX_BOND),
        Condition::Bond(from, to, least) => {
            open(Claim::AtLeast(Scale::Bond(from, to), i64::from(*least)))
        }
        Condition::Day(day) => open(Claim::AtLeast(Scale::Day, i64::from(*day))),
        Condition::Now(_) => open(Claim::Is(Variable::Occasion, condition)),
        Condition::Goal(who, number, _) => open(is(who, Variable::Goal(who, *number))),
        Condition::Voted(_) => open(alone(Variable::Vote)),
        Condition::Happened(scene) => open(Claim::So(Statement::Happened(scene))),
        Condition::Chose(scene, _) => {
            let happened = Claim::So(Statement::Happened(scene));
            Meaning::Open(alone(Variable::ChoiceOf(scene)), vec![happened])
        }
        Condition::Knows(..)
        | Condition::Fought(..)
        | Condition::Fell(_)
        | Condition::Told(..)
        | Condition::Promised(..)
        | Condition::Promise(..)
        | Condition::Judged { .. }
        // These have parts.
        | Condition::All(_)
        | Condition::Any(_)
        | Condition::Not(_) => other(),
    }
}

/// What is in a case that what is added to it excludes.
fn contradiction(case: &[Literal<'_>], added: &[Literal<'_>]) -> Option<Impossible> {
    let pairs = added
        .iter()
        .flat_map(|new| case.iter().map(move |old| (old, new)));
    let mut excluded = pairs.filter(|(old, new)| old.implies(new, !new.holds));
    let (old, new) = excluded.next()?;
    for (early, late) in [(old, new), (new, old)] {
        if let (Claim::AtLeast(Scale::Day, day), true) = (&late.claim, late.follows)
            && !early.holds
        {
            let (condition, holds) = late.written;
            let condition = written(condition, holds);
            return Some(Impossible::Here(text!(
                drama_not_before,
                condition,
                day = *day
            )));
        }
    }
    Some(Impossible::Itself(both(old, new)))
}

fn both(left: &Literal<'_>, right: &Literal<'_>) -> UiText {
    let [left, right] = [left, right].map(|literal| {
        let (condition, holds) = literal.written;
        written(condition, holds)
    });
    text!(drama_not_both, one = left, other = right)
}

/// Who must be together in a case and at different places.
fn elsewhere(case: &[Literal<'_>]) -> Option<Impossible> {
    let held = case
        .iter()
        .filter(|literal| literal.holds && !literal.follows);
    for together in held {
        let Condition::Together(names) = together.written.0 else {
            continue;
        };
        let placed = case.iter().filter_map(|literal| match literal.claim {
            Claim::Is(Variable::PlaceOf(who), Condition::At(_, place))
                if names.iter().any(|name| name == who) =>
            {
                Some((literal, place))
            }
            _ => None,
        });
        let Some((first, place)) = placed.clone().find(|(literal, _)| literal.holds) else {
            continue;
        };
        let is_elsewhere =
            |(literal, named): &(&Literal<'_>, &String)| (*named == place) != literal.holds;
        if let Some((conflicting, _)) = placed.clone().find(is_elsewhere) {
            let conflicting = if conflicting.holds {
                conflicting
            } else {
                together
            };
            return Some(Impossible::Itself(both(first, conflicting)));
        }
    }
    None
}

impl Literal<'_> {
    /// Whether `other` is `so` whenever this is as it says.
    fn implies(&self, other: &Literal<'_>, so: bool) -> bool {
        match (&self.claim, &other.claim) {
            (Claim::AtLeast(scale, least), Claim::AtLeast(same, other_least)) if scale == same => {
                match (self.holds, so) {
                    (true, true) => least >= other_least,
                    (false, false) => least <= other_least,
                    _ => false,
                }
            }
            (Claim::Is(variable, value), Claim::Is(same, other_value)) if variable == same => {
                match (self.holds, so) {
                    (true, true) | (false, false) => value == other_value,
                    (true, false) => value != other_value,
                    (false, true) => false,
                }
            }
            (Claim::So(left), Claim::So(right)) => match (self.holds, so) {
                (true, true) => left.implies(right),
                (false, false) => right.implies(left),
                _ => false,
            },
            _ => false,
        }
    }
}

impl Statement<'_> {
    fn implies(&self, other: &Statement<'_>) -> bool {
        match (self, other) {
            (Self::Alive(who), Statement::Alive(other)) => who == other,
            (Self::Happened(scene), Statement::Happened(other)) => scene == other,
            (Self::Other(left), Statement::Other(right)) => match (left, right) {
                (Condition::Together(names), Condition::Together(some)) => {
                    some.iter().all(|name| names.contains(name))
                }
                (Condition::Judged { claim, .. }, Condition::Judged { claim: same, .. }) => {
                    claim == same
                }
                (left, right) => left == right,
            },
            _ => false,
        }
    }
}

/// A simple condition as it is written in a world file.
fn written(condition: &Condition, holds: bool) -> String {
    let shown = match condition {
        Condition::Now(occasion) => format!("Now({occasion:?})"),
        Condition::Fought(stage, result) => format!("Fought({stage:?}, {result:?})"),
        Condition::Goal(who, number, state) => format!("Goal({who:?}, {number}, {state:?})"),
        condition => ron::to_string(condition).unwrap_or_default(),
    };
    if holds {
        shown
    } else {
        format!("Not({shown})")
    }
}
