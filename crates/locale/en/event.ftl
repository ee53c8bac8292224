# Texts of `crates/engine/src/event/`. Keys begin with `event_`.

event_ask_elsewhere = it is not at the place of this step
event_ask_gone = its ask is gone
event_bad_ask = '{ $entity }' was asked '{ $purpose }', but { $reason }
event_forged_mark = it looked like the markup of a conversation
event_no_conversation = it has no conversation
event_no_text = no text can be made for the event '{ $event }': { $reason }
event_second_ask = '{ $entity }' was asked '{ $second }' while '{ $first }' is still open; one ask at a time
event_secret = it revealed secret { $numbers } of the world file
event_told_elsewhere = a step at '{ $place }' sent the event '{ $event }' to '{ $receiver }', who is elsewhere; use EventWriter::defer to reach other stages
event_too_long = it was longer than { $max } characters
event_unregistered = the event type '{ $event }' is not registered; call register_event for it during setup
