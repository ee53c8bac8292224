//! Why a page can't be had, or what is wanted of it.

use playhouse_engine::world_data::Prompt;
use serde::Serialize;
use thiserror::Error;

use crate::ToolError;

#[derive(Clone, Debug, Error, Serialize, Prompt)]
#[serde(tag = "kind", content = "what", rename_all = "snake_case")]
#[prompt("tools/errors/web")]
pub(crate) enum WebError {
    #[error("'{0}' is no address: {1}")]
    Address(String, String),
    #[error("only http and https can be fetched, not {0}")]
    Scheme(String),
    #[error("an address must not hold a name or password")]
    Login,
    #[error("no host may be asked; the player allows hosts in the model file, under `web`")]
    NoHost,
    /// The host, and those that may be asked.
    #[error("'{0}' may not be asked; allowed are {1}")]
    Host(String, String),
    #[error("'{0}' is in a private network or on this machine, which must be allowed by name")]
    Private(String),
    #[error("this system allows no connections")]
    NoConnections,
    /// What the system says.
    #[error("{0}")]
    Connection(String),
    #[error("more than {0} redirects")]
    Redirects(usize),
    #[error("it leads to no address")]
    LeadsNowhere,
    #[error("the server answered {0}")]
    Status(String),
    #[error("the page is no text but {0}")]
    NoText(String),
    #[error("the page is longer than {0} bytes")]
    TooLong(usize),
    #[error("give either `url` or `html`")]
    OneSource,
    #[error("say what to extract, in `fields` or `rules`")]
    NothingWanted,
    #[error("the page can't be read")]
    Unreadable,
    #[error("its elements are nested too deeply to be looked through")]
    TooDeep,
    /// The name of what is wanted, and its selector.
    #[error("{0}: '{1}' is no CSS selector")]
    Selector(String, String),
}

impl From<WebError> for ToolError {
    fn from(error: WebError) -> Self {
        Self::new(error.to_string()).with_prompt(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare_prompts;
    use playhouse_engine::testing::told_by;

    #[test]
    fn every_failure_is_told_in_both_languages() {
        let x = || "x".to_owned();
        for (error, chinese) in [
            (WebError::Address(x(), x()), "“x”不是网址：x"),
            (WebError::Scheme(x()), "不能读取 x"),
            (WebError::Login, "用户名"),
            (WebError::NoHost, "`web`"),
            (WebError::Host(x(), x()), "允许的有：x"),
            (WebError::Private(x()), "“x”在内网"),
            (WebError::NoConnections, "联网"),
            (WebError::Connection(x()), "连接失败：x"),
            (WebError::Redirects(5), "超过 5 次"),
            (WebError::LeadsNowhere, "重定向没有"),
            (WebError::Status(x()), "服务器返回 x"),
            (WebError::NoText(x()), "而是 x"),
            (WebError::TooLong(7), "超过 7 字节"),
            (WebError::OneSource, "请只给一个"),
            (WebError::NothingWanted, "提取什么"),
            (WebError::Unreadable, "网页无法读取"),
            (WebError::TooDeep, "嵌套太深"),
            (WebError::Selector(x(), x()), "“x”不是 CSS 选择器"),
        ] {
            let error = ToolError::from(error);
            let [en, zh] = told_by(declare_prompts, &error);
            assert_eq!(en, error.to_string());
            assert!(zh.contains(chinese), "{zh}");
        }
    }
}
