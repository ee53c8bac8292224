# Texts of `crates/engine/src/context/`. Keys begin with `context_`.

context_crossed_range = the range from { $begin } to { $end } of '{ $entity }' ends before it begins
context_includes_system = the range from { $begin } to { $end } of '{ $entity }' includes its system message, which can't be removed
context_last_id = last_id is { $last }, which is smaller than the ID of message { $message }
context_no_messages = no ai message was given to '{ $entity }'; an answer consists of at least one message
context_no_such_message = '{ $entity }' has no message { $id }; it was removed, or it belongs to another context
context_not_empty = '{ $entity }' has { $count ->
    [one] { $count } message
   *[other] { $count } messages
} already; only the first message can be a system message
context_not_human = message { $id } of '{ $entity }' is not a human message; only human messages can be removed one by one
context_out_of_order = message { $id } is out of order
context_without_messages = missing; expected a list of messages
context_without_name = missing; a context needs the name of its entity
