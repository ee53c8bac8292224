# Texts of character cards in `crates/interop/src/cards/`. Keys begin with `cards_`.

cards_assets = { $count ->
    [one] one picture or other file stays
   *[other] { $count } pictures and other files stay
} in the file
cards_begins = You begin like this, if it fits: { $greeting }
cards_book_taken = { $facts } always known, { $entries } that come to mind when something brings them up
cards_broken_archive = the archive can't be read: { $reason }
cards_characters = { $count ->
    [one] one character
   *[other] { $count } characters
}
cards_extension = belongs to another program
cards_for_models = tells a model how to behave; the rules of the world do that here
cards_tags = lorebooks choose entries by them; no prompt has them
cards_for_people = is for people, not for prompts
cards_linked_book = the lorebook '{ $world }' is a file of its own; name it after the cards
cards_look_first = what others see of it, from the first sentence of its description; read whether everybody may know that
cards_look_labelled = what others see of it, from what the card calls its looks
cards_marks_removed = headings and marks of roles, which a model could mistake for orders, are removed
cards_markup_removed = HTML and pictures are removed
cards_newer = made for version { $version } of character cards; what is new in it is kept, but not understood
cards_no_card = there is no character card in it
cards_no_character = this is no character card: a card is an object with a name and a description, or with 'spec' and 'data'
cards_no_greeting = The story begins. You are here.
cards_not_base64 = the card in the picture is broken: it is not valid base64
cards_not_json = the card is not valid JSON: { $reason }
cards_not_png = of pictures, only PNG and APNG carry cards
cards_not_utf8 = the card is not valid UTF-8
cards_orders = seems to give a model orders; it stays what the character is, and orders nobody
cards_other_file = this is { $kind }, not a character card; it is not taken
cards_other_greetings = { $count ->
    [one] one other greeting
   *[other] { $count } other greetings
}
cards_script_removed = scripts and HTML are removed
cards_scripts = scripts are never run
cards_shortened = only the first { $max } characters are taken
cards_too_large = the card has more than { $max } bytes without its pictures
cards_too_many_files = the archive has more than { $max } files
cards_too_many_values = the card has more than { $max } values
cards_unknown = is not known
cards_unknown_macro = the macro '{ $name }' stays as it is: it is not known, or there are too many
