//! PLACEHOLDER until the guards land.
use crate::cast::Kind;
use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Point {
    Send,
    Store,
    Ask,
}
pub struct Judged<'a> {
    pub point: Point,
    pub text: &'a str,
    pub kind: &'a str,
    pub speaker: Option<&'a str>,
    pub receiver: Option<Kind>,
    pub public: bool,
}
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardAct {
    pub guard: String,
}
pub struct Judgement<'a> {
    pub text: Cow<'a, str>,
    pub flagged: Vec<String>,
    pub blocked: Option<String>,
    pub acts: Vec<GuardAct>,
}
#[derive(Resource, Default)]
pub struct Guards;
impl Guards {
    pub fn judge<'a>(&self, j: &Judged<'a>) -> Judgement<'a> {
        Judgement {
            text: Cow::Borrowed(j.text),
            flagged: vec![],
            blocked: None,
            acts: vec![],
        }
    }
}
