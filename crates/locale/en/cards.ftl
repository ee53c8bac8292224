# Texts of character cards and lorebooks in `crates/interop/src/`. Keys begin with `cards_` or `lore_`.

cards_broken_archive = the archive can't be read: { $reason }
cards_newer = made for version { $version } of character cards; what is new in it is kept, but not understood
cards_no_card = there is no character card in it
cards_no_character = this is no character card: a card is an object with a name and a description, or with 'spec' and 'data'
cards_not_base64 = the card in the picture is broken: it is not valid base64
cards_not_json = the card is not valid JSON: { $reason }
cards_not_png = of pictures, only PNG and APNG carry cards
cards_not_utf8 = the card is not valid UTF-8
cards_too_large = the card has more than { $max } bytes without its pictures
cards_too_many_files = the archive has more than { $max } files
cards_too_many_values = the card has more than { $max } values
