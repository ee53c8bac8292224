//! Dates in texts, and words that say when something happened.

use super::words::{Word, words};

/// The number of days during which people usually still talk about something.
const TOLD_WITHIN: i32 = 10;

/// A time that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// These days, as numbers from the beginning of the calendar, including the last.
    Days(i32, i32),
    /// This month of any year, from 1; one of its days, or all of them.
    Month(u32, Option<u32>),
    StoryDay(i32),
}

impl Time {
    /// How well a day matches the time: 1, less shortly afterwards, otherwise 0.
    pub(super) fn nearness(self, day: i32) -> f32 {
        let near = |first: i32, last: i32| {
            if (first..=last).contains(&day) {
                1.0
            } else if (last + 1..=last.saturating_add(TOLD_WITHIN)).contains(&day) {
                0.5
            } else {
                0.0
            }
        };
        match self {
            Self::Days(first, last) => near(first, last),
            Self::StoryDay(number) => near(number, number),
            Self::Month(month, of_month) => {
                let (year, ..) = date_of(day);
                let first = days(year, month, of_month.unwrap_or(1));
                let last = of_month.map_or_else(|| end_of_month(year, month), |_| first);
                near(first, last)
            }
        }
    }

    fn day(self) -> Option<i32> {
        match self {
            Self::Days(first, _) | Self::StoryDay(first) => Some(first),
            Self::Month(..) => None,
        }
    }
}

/// The day of a time as people or programs write it, such as `1:56 pm on 8 May, 2023`,
/// `2023-05-08`, `2023年5月8日`, or `day 3`: comparable with those of other times of its kind.
pub(super) fn day_of(text: &str) -> Option<i32> {
    times(text).into_iter().find_map(Time::day)
}

/// What a word says about a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Number(i32),
    Month(u32),
    /// The word `day`, or 第.
    Day,
    Mark(char),
    Other,
}

/// The times that a text names, in order.
pub(super) fn times(text: &str) -> Vec<Time> {
    let parts: Vec<_> = words(text).map(|word| part(&word)).collect();
    let mut found = Vec::new();
    let mut rest = parts.as_slice();
    while !rest.is_empty() {
        match time(rest) {
            Some((time, length)) => {
                found.push(time);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    found
}

/// The time at the beginning of the parts, and the number of parts that it takes.
fn time(parts: &[Part]) -> Option<(Time, usize)> {
    use Part::{Day, Mark, Month, Number};
    let is_year = |year: &i32| (1000..3000).contains(year);
    let is_month = |month: &i32| (1..=12).contains(month);
    let is_day = |day: &i32| (1..=31).contains(day);
    let of_day = |year, month: u32, day: i32, length| {
        let day = days(year, month, day as u32);
        Some((Time::Days(day, day), length))
    };
    let of_month = |year, month, length| {
        let last = end_of_month(year, month);
        Some((Time::Days(days(year, month, 1), last), length))
    };
    match *parts {
        [Number(y), Mark('年'), Number(m), Mark('月'), Number(d), ..]
            if is_year(&y) && is_month(&m) && is_day(&d) =>
        {
            of_day(y, m as u32, d, 5)
        }
        [Number(y), Mark('年'), Number(m), Mark('月'), ..] if is_year(&y) && is_month(&m) => {
            of_month(y, m as u32, 4)
        }
        [Number(m), Mark('月'), Number(d), ..] if is_month(&m) && is_day(&d) => {
            Some((Time::Month(m as u32, Some(d as u32)), 3))
        }
        [Number(m), Mark('月'), ..] if is_month(&m) => Some((Time::Month(m as u32, None), 2)),
        [Number(y), Number(m), Number(d), ..] if is_year(&y) && is_month(&m) && is_day(&d) => {
            of_day(y, m as u32, d, 3)
        }
        [Number(d), Month(m), Number(y), ..] | [Month(m), Number(d), Number(y), ..]
            if is_year(&y) && is_day(&d) =>
        {
            of_day(y, m, d, 3)
        }
        [Month(m), Number(y), ..] if is_year(&y) => of_month(y, m, 2),
        [Number(d), Month(m), ..] | [Month(m), Number(d), ..] if is_day(&d) => {
            Some((Time::Month(m, Some(d as u32)), 2))
        }
        [Month(m), ..] => Some((Time::Month(m, None), 1)),
        [Day, Number(number), ..] => Some((Time::StoryDay(number), 2)),
        [Number(y), ..] if (1800..2200).contains(&y) => {
            Some((Time::Days(days(y, 1, 1), days(y, 12, 31)), 1))
        }
        _ => None,
    }
}

const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];

fn part(word: &Word<'_>) -> Part {
    if word.is_character {
        return match word.text {
            "年" => Part::Mark('年'),
            "月" => Part::Mark('月'),
            "第" => Part::Day,
            _ => Part::Other,
        };
    }
    let is_letter = |char: char| !char.is_ascii_digit();
    let digits = word.text.find(is_letter).unwrap_or(word.text.len());
    let (number, ending) = word.text.split_at(digits);
    if let Ok(number) = number.parse() {
        // `08T13` is of a date with its hour.
        let is_number = matches!(ending, "" | "st" | "nd" | "rd" | "th") || ending.starts_with('T');
        return if is_number {
            Part::Number(number)
        } else {
            Part::Other
        };
    }
    let lower = word.text.to_lowercase();
    if lower == "day" {
        return Part::Day;
    }
    // "may" and "march" are also other words.
    let month = month_of(&lower).filter(|_| word.is_capitalized());
    month.map_or(Part::Other, Part::Month)
}

fn month_of(lower: &str) -> Option<u32> {
    let lower = if lower == "sept" { "sep" } else { lower };
    let is_name = |name: &&str| *name == lower || (lower.len() == 3 && name.starts_with(lower));
    let month = MONTHS.iter().position(is_name)?;
    Some(month as u32 + 1)
}

/// Whether a text says when: "yesterday", "last week", "in 2019", 昨天.
pub(super) fn says_when(text: &str) -> bool {
    const SAYS: &[&str] = &[
        "yesterday", "today", "tonight", "tomorrow", "ago", "weekend", "weekends", "monday",
        "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "since", "recently",
    ];
    const WHICH: &[&str] = &[
        "last", "next", "this", "past", "few", "two", "three", "couple", "every",
    ];
    const SPANS: &[&str] = &[
        "day", "days", "week", "weeks", "month", "months", "year", "years", "night", "morning",
        "evening", "summer", "winter", "spring", "fall", "autumn",
    ];
    const CHINESE: &[&str] = &[
        "昨天", "今天", "明天", "前天", "后天", "昨晚", "今晚", "今早", "昨夜", "上周", "下周",
        "这周", "上个月", "下个月", "去年", "今年", "明年", "前年", "天前", "年前", "月前", "星期",
        "周末", "礼拜", "刚才", "前几天", "那天",
    ];
    let mut before = String::new();
    let mut has_characters = false;
    let is_told = words(text).any(|word| {
        if word.is_character {
            has_characters = true;
            before.clear();
            return false;
        }
        let lower = word.text.to_lowercase();
        let is_span = SPANS.contains(&lower.as_str());
        let is_told = SAYS.contains(&lower.as_str())
            || (is_span && (WHICH.contains(&before.as_str()) || before.parse::<u32>().is_ok()))
            || (month_of(&lower).is_some() && word.is_capitalized() && lower.len() != 3)
            || lower
                .parse()
                .is_ok_and(|year: u32| (1900..2100).contains(&year));
        before = lower;
        is_told
    });
    is_told || (has_characters && CHINESE.iter().any(|word| text.contains(word)))
}

/// Whether a question asks when something was.
pub(super) fn asks_when(question: &str) -> bool {
    const CHINESE: &[&str] = &[
        "什么时候", "何时", "几时", "哪天", "哪一天", "多久", "哪年", "哪一年", "几月", "几号",
        "哪个月", "第几天",
    ];
    let lower = question.to_lowercase();
    let mut words = lower.split(|char: char| !char.is_alphanumeric()).peekable();
    let mut asks = false;
    while let Some(word) = words.next() {
        let next = words.peek().copied().unwrap_or_default();
        asks |= word == "when"
            || (word == "how" && next == "long")
            || (matches!(word, "what" | "which")
                && matches!(next, "day" | "date" | "month" | "year" | "week" | "time"));
    }
    asks || CHINESE.iter().any(|word| question.contains(word))
}

/// The day of a date, counted from 1 March of the year 0 (Hinnant's `days_from_civil`). A day
/// beyond the month's end is of the next month.
fn days(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month as i32 + 9) % 12) + 2) / 5 + day as i32 - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
}

fn end_of_month(year: i32, month: u32) -> i32 {
    let (year, month) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    days(year, month, 1) - 1
}

/// Year, month and day; the reverse of [`days`].
fn date_of(days: i32) -> (i32, u32, u32) {
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i32::from(month <= 2);
    (year, month as u32, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_all_usual_forms() {
        let day = days(2023, 5, 8);
        for text in [
            "1:56 pm on 8 May, 2023",
            "2023-05-08",
            "2023-05-08T13:56:00Z",
            "May 8th, 2023",
            "2023年5月8日 下午",
            "2023/5/8",
        ] {
            assert_eq!(day_of(text), Some(day), "{text}");
        }
        assert_eq!(day_of("day 3"), Some(3));
        assert_eq!(day_of("第12天"), Some(12));
        assert_eq!(day_of("may I march?"), None);
        assert_eq!(day_of(""), None);
    }

    #[test]
    fn days_and_dates_agree() {
        for day in (600_000..800_000).step_by(13) {
            let (year, month, of_month) = date_of(day);
            assert_eq!(days(year, month, of_month), day);
        }
        assert_eq!(end_of_month(2024, 2), days(2024, 2, 29));
    }

    #[test]
    fn what_is_told_soon_after_is_near() {
        let may = times("What did she do in May 2023?")[0];
        assert_eq!(may.nearness(days(2023, 5, 31)), 1.0);
        assert_eq!(may.nearness(days(2023, 6, 4)), 0.5);
        assert_eq!(may.nearness(days(2023, 8, 4)), 0.0);
        let eighth = times("on 8 May")[0];
        assert_eq!(eighth.nearness(days(2022, 5, 8)), 1.0);
    }

    #[test]
    fn texts_and_questions_of_time_are_told() {
        for text in [
            "I ran last week.", "Two days ago!", "in 2019", "我们昨天去了", "since Monday",
        ] {
            assert!(says_when(text), "{text}");
        }
        assert!(!says_when("I may march on"));
        assert!(asks_when("When did she go?") && asks_when("他什么时候走的"));
        assert!(asks_when("For how long?") && !asks_when("What is it?"));
    }
}
