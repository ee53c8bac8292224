//! What a stage tells of a fight when it is over. Blow by blow it was seen already.

use playhouse_engine::mind::Notes;
use playhouse_engine::mind::improviser::Writer;

/// Tells how a fight ended, and what it cost.
pub(super) fn account<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let fighters = notes.list("standing");
    let foes = fighters.filter(|fighter| fighter.text("faction") != "hero");
    let foes: Vec<_> = foes.map(Notes::name).collect();
    writer.set_list("foes", &foes);
    let outcome = notes.object("outcome");
    let fallen = outcome.texts("fallen");
    writer.set_list("fallen", &fallen);
    writer.flag("won", outcome.text("result") == "won");
    writer.flag("lost", outcome.text("result") == "lost");
    writer.flag("many", foes.len() > 1);
    let mut texts = vec![writer.line("account.close")];
    if !fallen.is_empty() {
        texts.push(writer.line("account.fallen"));
    }
    writer.paragraph(&texts)
}
