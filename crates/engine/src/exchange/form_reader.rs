//! Answers that are not quite in the form that was asked for.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::{AnswerState, Reply, Violation};
use crate::reading::{CallableTool, Fault, Fitted, Form, FoundJson, NoJson, TextCalls, members_in};

/// Reads an answer of a type by its form.
pub(super) struct FormReader<'f, 't, R> {
    form: Form<'f>,
    raw: &'t str,
    state: AnswerState,
    reply: PhantomData<R>,
}

impl<'f, 't, R: Reply> FormReader<'f, 't, R> {
    pub(super) fn new(form: Form<'f>, raw: &'t str, state: AnswerState) -> Self {
        Self {
            form,
            raw,
            state,
            reply: PhantomData,
        }
    }

    /// The value that the answer means, and its text as a context keeps it.
    pub(super) fn value(
        &self,
        found: Result<FoundJson, NoJson>,
    ) -> Result<(Value, Cow<'t, str>), Vec<Violation>> {
        let is_in_form = match &found {
            Ok(found) => found
                .value
                .as_object()
                .is_some_and(|members| members.keys().any(|name| self.form.has_member(name))),
            Err(problem) => matches!(problem, NoJson::Broken(_)) && self.begins_with_json(),
        };
        let read = match found {
            Ok(found) if !found.is_usable(self.state.is_last) => Err(vec![Violation::incomplete()]),
            Ok(found) => self.fitted(found.value),
            Err(NoJson::Drafts) => return Err(vec![Violation::no_json(&NoJson::Drafts)]),
            Err(problem) => {
                let said = members_in(self.raw, |name| self.form.has_member(name));
                match said.or_else(|| self.called()) {
                    Some(value) => self.fitted(value),
                    None => Err(vec![Violation::no_json(&problem)]),
                }
            }
        };
        match read {
            Ok(value) => {
                let text = value.to_string();
                Ok((value, text.into()))
            }
            Err(violations) if is_in_form => Err(violations),
            Err(violations) => {
                let bare = self.bare().map(|value| (value, self.raw.into()));
                bare.ok_or(violations)
            }
        }
    }

    fn begins_with_json(&self) -> bool {
        let text = self
            .raw
            .trim_start()
            .trim_start_matches("```json")
            .trim_start_matches("```");
        text.trim_start().starts_with('{')
    }

    fn fitted(&self, given: Value) -> Result<Value, Vec<Violation>> {
        let fitted = self.form.fit(given.clone());
        match self.typed(fitted) {
            // Any value may be the answer.
            Err(_) if R::BARE_MEMBER == Some("") => Ok(given),
            read => read,
        }
    }

    /// A value that can be read as the type. Whatever is not offered may be known all the same; the
    /// check decides.
    fn typed(&self, fitted: Fitted) -> Result<Value, Vec<Violation>> {
        let Fitted {
            mut value,
            left_out,
            faults,
        } = fitted;
        let members = value.as_object_mut().filter(|_| !left_out.is_empty());
        if let (Some(members), Some(name)) = (members, R::LEFT_OUT) {
            members.insert(name.to_owned(), left_out.into());
        }
        let read: Result<R, _> = serde_path_to_error::deserialize(&value);
        let may_stay = |fault: &Fault| R::MAY_LACK_PARTS && fault.lacks_a_part();
        let spoils = |fault: &Fault| fault.spoils_form() && !may_stay(fault);
        let is_whole = !faults.iter().any(spoils);
        let told = faults.into_iter().filter(|fault| !may_stay(fault));
        let told: Vec<_> = told.map(Violation::from).collect();
        let mut parts = told.iter().map(|fault| fault.path.contains(['.', '[']));
        let is_usable = R::MAY_LACK_PARTS && self.state.is_last && parts.all(|is_part| is_part);
        let problem = match read {
            Ok(_) if is_whole || is_usable => return Ok(value),
            Ok(_) => None,
            Err(error) => Some(Violation::wrong_form(&error.path().to_string())),
        };
        Err(if told.is_empty() {
            problem.into_iter().collect()
        } else {
            told
        })
    }

    /// The arguments of an answer that is a call of its form: `plan(say="…")`.
    fn called(&self) -> Option<Value> {
        let schema = self.form.schema.to_string();
        let name = self.form.name;
        let tool = CallableTool {
            name,
            schema: &schema,
        };
        let [call] = &*TextCalls::find(self.raw, &[tool])?.calls else {
            return None;
        };
        serde_json::from_str(&call.arguments).ok()
    }

    /// What an answer means that has no JSON, or only speaks of some.
    fn bare(&self) -> Option<Value> {
        let member = R::BARE_MEMBER?;
        let text = self.raw.trim();
        if member.is_empty() {
            return Some(text.into());
        }
        let value = self.form.bare(member, text)?;
        Some(Map::from_iter([(member.to_owned(), value)]).into())
    }
}
