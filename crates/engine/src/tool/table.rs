//! Tables of writers: a tool that looks up a text.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments::wrong;
use super::prompts::Failure;
use super::{ToolCaller, ToolError, ToolOutput, Toolbox, read_arguments};
use crate::locale::{Language, UiText, text};
use crate::wording::fold_name;
use crate::world_data::{DataFolder, Problem, Problems, Source};

/// The folder of tables in the data folder, with a subfolder for each language.
pub const TABLES: &str = "tools";

/// A table as in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Table")]
pub struct Table {
    /// What a mind is told of the tool.
    pub about: String,
    /// Its arguments: names in ASCII → what a mind is told of each.
    pub asks: IndexMap<String, String>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Row {
    /// One value for each argument.
    pub of: Vec<String>,
    /// The text for these values.
    pub is: String,
}

impl Table {
    /// The path of a table in the data folder.
    pub fn path(language: Language, name: &str) -> String {
        format!("{TABLES}/{}/{name}.ron", language.code())
    }

    /// Reads and checks a table of the data folder.
    pub fn load(data: &DataFolder, language: Language, name: &str) -> Result<Self, Problems> {
        let path = Self::path(language, name);
        let text = data.read_text(&path).map_err(Problem::from)?;
        Self::parse(&data.name_of(&path), &text)
    }

    /// Reads and checks the text of a table; `file` is what messages call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let source = Source::new(file, text);
        let (reading, mut problems) = source.read_all::<Self>()?;
        for (path, message, help) in reading.value.mistakes() {
            reading.source.report(&mut problems, &path, message, help);
        }
        problems.sort();
        problems
            .unless_errors(reading.value)
            .map(|(table, _)| table)
    }

    /// What is wrong: path, message and help.
    fn mistakes(&self) -> Vec<(String, UiText, UiText)> {
        let mut found = Vec::new();
        if self.about.trim().is_empty() {
            let help = text!(tool_table_about_help);
            found.push(("about".into(), text!(tool_table_about), help));
        }
        if self.asks.is_empty() || self.rows.is_empty() {
            let help = text!(tool_table_empty_help);
            found.push(("rows".into(), text!(tool_table_empty), help));
        }
        for name in self.asks.keys() {
            let legal = |char: char| char.is_ascii_alphanumeric() || char == '_';
            if name.is_empty() || !name.chars().all(legal) {
                let message = text!(tool_table_argument, name);
                let help = text!(tool_table_argument_help);
                found.push(("asks".into(), message, help));
            }
        }
        let mut known = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            let path = format!("rows[{index}]");
            if row.of.len() != self.asks.len() {
                let (values, arguments) = (row.of.len(), self.asks.len());
                let message = text!(tool_table_values, values, arguments);
                let help = text!(tool_table_values_help);
                found.push((format!("{path}.of"), message, help));
            }
            if row.is.trim().is_empty() || row.of.iter().any(|value| value.trim().is_empty()) {
                let message = text!(tool_table_empty_value);
                let help = text!(tool_table_empty_value_help);
                found.push((path.clone(), message, help));
            }
            match known.entry(key(&row.of)) {
                Entry::Vacant(entry) => {
                    entry.insert(index);
                }
                Entry::Occupied(first) => {
                    let message = text!(tool_table_same_row, first = first.get());
                    found.push((path, message, text!(tool_table_same_row_help)));
                }
            }
        }
        found
    }

    /// The schema of its arguments, with the values that it knows.
    fn schema(&self) -> Value {
        let arguments = self.asks.iter().enumerate();
        let properties: Map<String, Value> = arguments
            .map(|(index, (name, about))| {
                let values = self.values(index);
                let property = json!({"type": "string", "description": about, "enum": values});
                (name.clone(), property)
            })
            .collect();
        let required: Vec<&String> = self.asks.keys().collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    /// The values of an argument, in the order of the rows.
    fn values(&self, index: usize) -> Vec<&str> {
        let mut values: Vec<&str> = Vec::new();
        for value in self.rows.iter().filter_map(|row| row.of.get(index)) {
            if !values.contains(&value.as_str()) {
                values.push(value);
            }
        }
        values
    }

    fn look_up(&self, language: Language, arguments: &str) -> ToolOutput {
        let asked: BTreeMap<String, String> = read_arguments(arguments)?;
        let values: Vec<String> = self
            .asks
            .keys()
            .map(|name| {
                let value = asked.get(name).cloned();
                value.ok_or_else(|| wrong(&text!(tool_missing_argument, name)))
            })
            .collect::<Result<_, _>>()?;
        let wanted = key(&values);
        let (comma, colon, semicolon) = match language {
            Language::En => (", ", ": ", "; "),
            Language::Zh => ("、", "：", "；"),
        };
        match self.rows.iter().find(|row| key(&row.of) == wanted) {
            Some(row) => Ok(format!("{}{colon}{}", row.of.join(comma), row.is)),
            None => {
                let asked = values.join(comma);
                let known = self
                    .rows
                    .iter()
                    .map(|row| row.of.join(comma))
                    .collect::<Vec<_>>()
                    .join(semicolon);
                let failure = Failure::NoRow {
                    asked: &asked,
                    known: &known,
                };
                let error =
                    ToolError::new(format!("nothing is known of {asked}; there are: {known}"));
                Err(error.with_prompt(&failure))
            }
        }
    }
}

fn key(values: &[String]) -> Vec<String> {
    values.iter().map(|value| fold_name(value)).collect()
}

impl Toolbox {
    /// Adds a tool that looks texts up in a table.
    pub fn add_table(&mut self, name: &str, table: Table) -> &mut Self {
        let (about, schema) = (table.about.clone(), table.schema());
        let run = move |caller: &ToolCaller<'_>, arguments: &str| {
            table.look_up(caller.language(), arguments)
        };
        self.add_pure_described(name, &about, schema, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    const TRAINS: &str = r#"Table(
        about: "Tells of trains.",
        asks: {"from": "from where", "to": "to where"},
        rows: [
            (of: ["Lisbon", "Porto"], is: "07:30"),
            (of: ["Porto", "Lisbon"], is: "09:00"),
        ],
    )"#;

    #[test]
    fn a_table_returns_its_rows_and_lists_them_if_none_fits() {
        let table = Table::parse("trains.ron", TRAINS).unwrap();
        let asked = |from: &str, to: &str| {
            let arguments = json!({"from": from, "to": to}).to_string();
            table.look_up(Language::En, &arguments)
        };
        assert_eq!(
            asked("lisbon", "Porto").as_deref(),
            Ok("Lisbon, Porto: 07:30")
        );
        let error = asked("Rome", "Porto").unwrap_err().to_string();
        assert!(
            error.contains("Rome, Porto") && error.contains("Porto, Lisbon"),
            "{error}"
        );
        let error = table
            .look_up(Language::En, r#"{"from": "Porto"}"#)
            .unwrap_err();
        assert!(error.to_string().contains("`to`"), "{error}");
        let [_, zh] = told(&error);
        assert!(zh.starts_with("参数有误：缺少参数 to。"), "{zh}");
        let schema = table.schema();
        assert_eq!(
            schema["properties"]["from"]["enum"],
            json!(["Lisbon", "Porto"])
        );
        assert_eq!(schema["required"], json!(["from", "to"]));
    }

    #[test]
    fn every_mistake_of_a_table_is_reported_with_its_line() {
        let text = r#"Table(
            asks: {"der Ort": "where"},
            rows: [
                (of: ["A", "B"], is: "x"),
                (of: ["A", "B"], is: ""),
            ],
        )"#;
        let problems = Table::parse("t.ron", text).unwrap_err();
        let told = problems
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n");
        for part in [
            "what the tool is for",
            "'der Ort'",
            "2 values for 1",
            "t.ron:5:",
            "the same",
            "is empty",
        ] {
            assert!(told.contains(part), "{part} is missing in\n{told}");
        }
    }
}
