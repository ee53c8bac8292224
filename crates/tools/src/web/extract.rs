//! What rules find in an HTML page, as JSON.

use std::collections::BTreeMap;

use playhouse_engine::message::one_line;
use schemars::JsonSchema;
use scraper::{ElementRef, Html, Selector};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::page::{is_too_deep, title};
use crate::ToolError;
use crate::web_error::WebError;

/// The maximum number of results of one rule, and of characters of a result.
const MAX_FOUND: usize = 200;
const MAX_RESULT: usize = 4_000;

/// What every page may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Named {
    /// Its title.
    Title,
    /// What it says about itself.
    Description,
    /// Its headings.
    Headings,
    /// Its links, each with text and address.
    Links,
    /// Its images, each with description and address.
    Images,
    /// Its tables, each as rows of cells.
    Tables,
    /// Its paragraphs.
    Paragraphs,
}

/// What is wanted, by name.
pub(super) type Rules = BTreeMap<String, Rule>;

/// How something is found.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Rule {
    /// A CSS selector: the text of the first element that it finds.
    First(String),
    /// A CSS selector with more to say.
    Full {
        /// The CSS selector.
        select: String,
        /// The attribute that is wanted; the text where left out.
        #[serde(default)]
        attribute: Option<String>,
        /// Whether all that is found is wanted, as a list.
        #[serde(default)]
        all: bool,
    },
}

/// Finds all that is wanted in a page. What is not there is null, or an empty list.
pub(super) fn extract(html: &str, fields: &[Named], rules: &Rules) -> Result<Value, ToolError> {
    if is_too_deep(html) {
        return Err(WebError::TooDeep.into());
    }
    let page = Html::parse_document(html);
    let mut found = Map::new();
    for field in fields {
        let (name, value) = named(&page, *field)?;
        found.insert(name.into(), value);
    }
    for (name, rule) in rules {
        found.insert(name.clone(), by_rule(&page, name, rule)?);
    }
    Ok(Value::Object(found))
}

fn selector(name: &str, css: &str) -> Result<Selector, ToolError> {
    Selector::parse(css).map_err(|_| WebError::Selector(name.into(), css.into()).into())
}

fn by_rule(page: &Html, name: &str, rule: &Rule) -> Result<Value, ToolError> {
    let (css, attribute, all) = match rule {
        Rule::First(css) => (css, None, false),
        Rule::Full {
            select,
            attribute,
            all,
        } => (select, attribute.as_deref(), *all),
    };
    let selector = selector(name, css)?;
    let mut finds = page
        .select(&selector)
        .filter_map(|element| match attribute {
            Some(attribute) => element.attr(attribute).map(cut),
            None => Some(text_of(element)),
        });
    Ok(if all {
        finds.take(MAX_FOUND).collect::<Vec<_>>().into()
    } else {
        finds.next().into()
    })
}

fn named(page: &Html, field: Named) -> Result<(&'static str, Value), ToolError> {
    let elements = |css: &str| -> Result<Vec<ElementRef<'_>>, ToolError> {
        let selector = selector("fields", css)?;
        Ok(page.select(&selector).take(MAX_FOUND).collect())
    };
    let texts = |css: &str| -> Result<Value, ToolError> {
        let texts = elements(css)?.into_iter().map(text_of);
        Ok(texts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .into())
    };
    Ok(match field {
        Named::Title => ("title", title(page).into()),
        Named::Description => {
            let found = elements("meta[name=description], meta[property='og:description']")?
                .into_iter()
                .find_map(|meta| meta.attr("content"));
            ("description", found.map(cut).into())
        }
        Named::Headings => ("headings", texts("h1, h2, h3, h4, h5, h6")?),
        Named::Paragraphs => ("paragraphs", texts("p")?),
        Named::Links => {
            let links = elements("a[href]")?
                .into_iter()
                .map(|link| json!({"text": text_of(link), "url": link.attr("href").map(cut)}));
            ("links", links.collect())
        }
        Named::Images => {
            let images = elements("img[src]")?.into_iter()
                .map(|image| json!({"text": image.attr("alt").map(cut), "url": image.attr("src").map(cut)}));
            ("images", images.collect())
        }
        Named::Tables => {
            let (rows, cells) = (selector("fields", "tr")?, selector("fields", "th, td")?);
            let tables = elements("table")?.into_iter().map(|table| {
                let rows = table
                    .select(&rows)
                    .take(MAX_FOUND)
                    .map(|row| row.select(&cells).map(text_of).collect::<Vec<_>>());
                rows.collect::<Vec<_>>()
            });
            ("tables", json!(tables.collect::<Vec<_>>()))
        }
    })
}

fn text_of(element: ElementRef<'_>) -> String {
    cut(&one_line(&element.text().collect::<String>()))
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_RESULT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGE: &str = r#"<html><head><title>The Inn</title><meta name="description" content="Beds and stew."></head>
        <body><h1>Rooms</h1><p class="price">12  pence</p><p>Clean.</p><a href="/a">One</a> <a href="/b">Two</a>
        <img src="x.png" alt="a bed"><table><tr><th>Room</th><td>1</td></tr></table></body></html>"#;

    fn found(asked: Value) -> Value {
        let rules: Rules = serde_json::from_value(asked["rules"].clone()).unwrap_or_default();
        let fields: Vec<Named> =
            serde_json::from_value(asked["fields"].clone()).unwrap_or_default();
        extract(PAGE, &fields, &rules).unwrap_or_else(|error| error.to_string().into())
    }

    #[test]
    fn rules_and_fields_find_what_they_name() {
        let rules = json!({"rules": {
            "price": ".price", "first": {"select": "a", "attribute": "href"},
            "all": {"select": "a", "all": true}, "none": ".x", "nothing": {"select": ".x", "all": true}}});
        assert_eq!(
            found(rules),
            json!({"price": "12 pence", "first": "/a", "all": ["One", "Two"], "none": null, "nothing": []})
        );
        let fields = json!({"fields": ["title", "description", "headings", "links", "images", "tables", "paragraphs"]});
        assert_eq!(
            found(fields),
            json!({"title": "The Inn", "description": "Beds and stew.", "headings": ["Rooms"],
                "links": [{"text": "One", "url": "/a"}, {"text": "Two", "url": "/b"}],
                "images": [{"text": "a bed", "url": "x.png"}], "tables": [[["Room", "1"]]],
                "paragraphs": ["12 pence", "Clean."]})
        );
        assert_eq!(
            found(json!({"rules": {"price": "..."}})),
            "price: '...' is no CSS selector"
        );
    }

    proptest! {
        #[test]
        fn any_page_and_any_rule_give_finds_or_an_error(
            html in "(<[a-z/ ]{0,6}>|[a-z ]){0,20}", css in "\\PC{0,12}|[a-z.#>*:\\[\\]=() ]{0,12}", all: bool,
        ) {
            let rule = Rule::Full { select: css, attribute: None, all };
            let _ = extract(&html, &[Named::Title, Named::Tables], &[("x".to_owned(), rule)].into());
        }
    }
}
