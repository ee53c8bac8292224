//! The words of an HTML page.

use playhouse_engine::message::one_line;
use scraper::{Html, Node, Selector};

/// The text of a page as one reads it: its title, then its words, a line for each block.
pub fn page_text(html: &str) -> String {
    if is_too_deep(html) {
        return without_tags(html);
    }
    let page = Html::parse_document(html);
    let mut text = String::new();
    if let Some(title) = title(&page) {
        text.push_str(&title);
        text.push('\n');
    }
    let mut words = String::new();
    // Without recursion: a page may be nested as deep as it is long.
    for node in page.tree.root().descendants() {
        match node.value() {
            Node::Text(said) => {
                let parent = node.parent();
                let inside = parent
                    .as_ref()
                    .and_then(|parent| parent.value().as_element());
                if !inside.is_some_and(|parent| is_silent(parent.name())) {
                    words.push_str(said);
                }
            }
            Node::Element(element) if ends_line(element.name()) => words.push('\n'),
            _ => {}
        }
    }
    for line in words.lines().map(one_line).filter(|line| !line.is_empty()) {
        text.push_str(&line);
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// The most elements that may be open at once. Browsers stop at 512; parsers look through all of
/// them at nearly every tag, so that a hostile page could keep one busy for minutes.
const DEEPEST: usize = 2_000;

/// Whether more elements could be open at once than a page has that is meant to be read.
pub(super) fn is_too_deep(html: &str) -> bool {
    let mut open = 0usize;
    html.split('<').skip(1).any(|tag| {
        let name = tag.trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
        if name.is_empty() || closes_itself(&name) {
            return false;
        }
        if tag.starts_with('/') {
            open = open.saturating_sub(1);
        } else {
            open += 1;
        }
        open > DEEPEST
    })
}

/// Whether an element has no end tag, or most often goes without one.
fn closes_itself(name: &str) -> bool {
    const ALONE: &[&str] = &[
        "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link",
        "meta", "option", "p", "source", "td", "th", "tr", "track", "wbr",
    ];
    ALONE.contains(&name)
}

/// What stands outside of tags.
fn without_tags(html: &str) -> String {
    let mut pieces = html.split('<');
    let first = pieces.next().unwrap_or_default();
    let behind = pieces.filter_map(|piece| Some(piece.split_once('>')?.1));
    let words: String = std::iter::once(first).chain(behind).collect();
    one_line(&words)
}

pub(super) fn title(page: &Html) -> Option<String> {
    let selector = Selector::parse("title").ok()?;
    let title = page.select(&selector).next()?;
    let title = one_line(&title.text().collect::<String>());
    (!title.is_empty()).then_some(title)
}

/// Whether what stands in an element is not for reading.
fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "script" | "style" | "noscript" | "template" | "title" | "textarea" | "iframe"
    )
}

fn ends_line(name: &str) -> bool {
    const BLOCKS: &str = "address article aside blockquote br dd div dl dt figcaption figure footer form \
        h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul";
    BLOCKS.split(' ').any(|block| block == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_is_read_line_by_line_without_its_machinery() {
        let html = "<html><head><title> The  Inn </title><style>p {}</style></head><body>
            <script>let x = 1;</script><h1>Rooms</h1><p>Two <b>beds</b>,
            one window.<br>No dogs.</p><ul><li>One</li><li>Two</li></ul><noscript>Turn it on</noscript></body>";
        assert_eq!(
            page_text(html),
            "The Inn\nRooms\nTwo beds,\none window.\nNo dogs.\nOne\nTwo"
        );
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = "<div>".repeat(100_000);
        assert_eq!(page_text(&format!("{deep}words")), "words");
    }

    proptest! {
        #[test]
        fn any_text_is_a_page(html in "\\PC{0,80}|(<[a-z/! ]{0,8}>|[a-z&;#x0-9 ]){0,20}") {
            let _ = page_text(&html);
        }
    }
}
