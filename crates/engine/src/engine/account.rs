//! What runs have spent and reserved, and whether they may spend more.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::job::Job;
use super::{Engine, Signal};
use crate::exchange::Spent;
use crate::journal::{Line, ToolPayment, ToolSpent};
use crate::locale::{UiText, text};
use crate::message::Cost;
use crate::tool::SpendLimits;

/// What runs spend together: limits hold for all that share it. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    entries: Arc<Mutex<Entries>>,
    /// Whose tool spends, and who is told at once what it spent.
    told: Option<(ToolPayment, UnboundedSender<ToolPayment>)>,
}

#[derive(Debug, Default)]
struct Entries {
    spent: Spent,
    /// The worst case of running calls.
    reserved: Spent,
    warned: bool,
}

impl Entries {
    /// What is spent and reserved, of one kind.
    fn gone(&self, part: fn(&Spent) -> u64) -> u64 {
        part(&self.spent).saturating_add(part(&self.reserved))
    }
}

/// The worst case of a call, if it takes tokens at all.
fn of_paid(worst: Spent) -> ToolSpent {
    match worst.usage.total() {
        0 => ToolSpent::default(),
        _ => worst.into(),
    }
}

impl Account {
    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves the worst case of a call.
    ///
    /// # Errors
    /// Why the limits do not allow it.
    fn reserve(&self, limits: &SpendLimits, worst: &Spent) -> Result<(), UiText> {
        let mut entries = self.lock();
        let after = |part: fn(&Spent) -> u64| entries.gone(part).saturating_add(part(worst));
        let would = after(|spent| spent.calls);
        if let Some(limit) = limits.calls.filter(|limit| would > *limit) {
            return Err(text!(engine_limit_calls, would, limit));
        }
        let would = after(|spent| spent.usage.total());
        if let Some(limit) = limits.tokens.filter(|limit| would > *limit) {
            return Err(text!(engine_limit_tokens, would, limit));
        }
        let would = Cost(after(|spent| spent.cost.0));
        if let Some(limit) = limits.cost.filter(|limit| would > *limit) {
            let (would, limit) = (would.to_string(), limit.to_string());
            return Err(text!(engine_limit_cost, would, limit));
        }
        entries.reserved += *worst;
        self.tell(ToolSpent::default(), of_paid(*worst), ToolSpent::default());
        Ok(())
    }

    /// Gives the worst case of a call back, and books what it really spent.
    fn settle(&self, worst: Spent, real: Spent) {
        let mut entries = self.lock();
        entries.reserved -= worst;
        entries.spent += real;
        self.tell(real.into(), ToolSpent::default(), of_paid(worst));
    }

    fn tell(&self, spent: ToolSpent, sent: ToolSpent, answered: ToolSpent) {
        if let Some((ask, payments)) = &self.told
            && [spent, sent, answered] != [ToolSpent::default(); 3]
        {
            // A run that is over is told nothing.
            let _ = payments.send(ToolPayment {
                spent,
                sent,
                answered,
                ..ask.clone()
            });
        }
    }

    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// What the limits leave.
    pub fn left(&self, limits: &SpendLimits) -> SpendLimits {
        let entries = self.lock();
        let left = |limit: u64, part: fn(&Spent) -> u64| limit.saturating_sub(entries.gone(part));
        let cost = |limit: Cost| Cost(left(limit.0, |spent| spent.cost.0));
        SpendLimits {
            calls: limits.calls.map(|limit| left(limit, |spent| spent.calls)),
            tokens: limits
                .tokens
                .map(|limit| left(limit, |spent| spent.usage.total())),
            cost: limits.cost.map(cost),
        }
    }

    /// A warning, the first time that four fifths of a limit are spent.
    fn warning(&self, limits: &SpendLimits) -> Option<UiText> {
        let mut entries = self.lock();
        let is_near = |spent: u64, limit: u64| spent.saturating_mul(5) >= limit.saturating_mul(4);
        if entries.warned {
            return None;
        }
        let (calls, tokens) = (entries.spent.calls, entries.spent.usage.total());
        let cost = entries.spent.cost;
        let warning = if let Some(limit) = limits.calls.filter(|limit| is_near(calls, *limit)) {
            text!(engine_near_calls, spent = calls, limit)
        } else if let Some(limit) = limits.tokens.filter(|limit| is_near(tokens, *limit)) {
            text!(engine_near_tokens, spent = tokens, limit)
        } else {
            let limit = limits.cost.filter(|limit| is_near(cost.0, limit.0))?;
            let (spent, limit) = (cost.to_string(), limit.to_string());
            text!(engine_near_cost, spent, limit)
        };
        entries.warned = true;
        Some(warning)
    }
}

/// What tools spend while they run.
pub(super) struct ToolPayments {
    sender: UnboundedSender<ToolPayment>,
    pub(super) receiver: UnboundedReceiver<ToolPayment>,
}

impl Default for ToolPayments {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver }
    }
}

impl ToolPayments {
    /// An account for a tool that the mind of this ask called.
    pub(super) fn account_for(&self, job: &Job) -> Account {
        let told = (job.payment(), self.sender.clone());
        Account {
            told: Some(told),
            ..Account::default()
        }
    }
}

/// What a run may spend on one model, beside what limits it as a whole. No other run shares it.
#[derive(Clone, Debug, Default)]
pub struct ModelBudget {
    pub limits: SpendLimits,
    /// The maximum number of calls at a time.
    pub width: Option<usize>,
    account: Account,
}

impl ModelBudget {
    /// Whether another call may begin beside those that run.
    pub(super) fn has_room(&self) -> bool {
        let running = self.account.lock().reserved.calls as usize;
        self.width.is_none_or(|width| running < width.max(1))
    }
}

/// Makes calls wait until a provider takes them.
pub trait Pace: Debug + Send + Sync {
    /// Whether a model may ever be sent so many tokens in one call.
    ///
    /// # Errors
    /// Why not.
    fn check(&self, model: &str, tokens: u64) -> Result<(), UiText>;

    /// Waits until a model may be sent so many tokens, prompt and answer together; without end if
    /// they must not be sent any more and the run is stopped.
    fn wait(&self, model: &Arc<str>, tokens: u64) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl Engine {
    /// Books and records what running tools have spent since.
    pub(super) fn note_payments(&mut self) {
        while let Ok(payment) = self.calls.payments.receiver.try_recv() {
            self.note_payment(payment);
        }
    }

    pub(super) fn note_payment(&mut self, payment: ToolPayment) {
        let account = &self.settings.account;
        self.totals.spent += payment.spent.into();
        account.lock().spent += payment.spent.into();
        // It may be in a tool itself.
        account.tell(payment.spent, payment.sent, payment.answered);
        self.record.journal.queue(Line::Paid(payment.into()));
    }

    /// Reserves the worst case of a call of a model.
    ///
    /// # Errors
    /// Why the limits do not allow it.
    pub(super) fn reserve(&mut self, model: &str, worst: Spent) -> Result<(), UiText> {
        let settings = &self.settings;
        if let Some(pace) = &settings.pace {
            pace.check(model, worst.usage.total())?;
        }
        settings.account.reserve(&settings.limits, &worst)?;
        if let Some(own) = settings.models.get(model) {
            let reserved = own.account.reserve(&own.limits, &worst);
            reserved.inspect_err(|_| settings.account.settle(worst, Spent::default()))?;
        }
        self.totals.reserved += worst;
        Ok(())
    }

    /// Gives back what is reserved for calls that are dropped.
    pub(super) fn release_all(&mut self) {
        let reserved = std::mem::take(&mut self.totals.reserved);
        self.settings.account.lock().reserved -= reserved;
        for own in self.settings.models.values() {
            own.account.lock().reserved = Spent::default();
        }
    }

    /// Books what a call really spent, and says once if a limit is near.
    pub(super) fn settle(&mut self, model: &str, worst: Spent, spent: Spent) {
        self.totals.reserved -= worst;
        self.totals.spent += spent;
        self.settings.account.settle(worst, spent);
        if let Some(own) = self.settings.models.get(model) {
            own.account.settle(worst, spent);
        }
        let settings = &self.settings;
        if let Some(words) = settings.account.warning(&settings.limits) {
            self.listeners.signal(|| Signal::LimitNear(words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_share_an_account_share_its_limits() {
        let limits = SpendLimits {
            calls: Some(3),
            ..SpendLimits::default()
        };
        let call = Spent {
            calls: 1,
            ..Spent::default()
        };
        let account = Account::default();
        let other = account.clone();
        account.reserve(&limits, &call).unwrap();
        other.reserve(&limits, &call).unwrap();
        // One call was repeated, the other never made.
        account.settle(call, Spent::default());
        account.settle(Spent::default(), Spent { calls: 2, ..call });
        assert_eq!(account.left(&limits).calls, Some(0));
        assert!(account.reserve(&limits, &call).is_err());
        other.settle(call, Spent::default());
        assert_eq!(other.left(&limits).calls, Some(1));
        assert!(account.warning(&limits).is_none());
        account.reserve(&limits, &call).unwrap();
    }
}
