# Texts of `crates/engine/src/message/`. Keys begin with `message_`.

message_bad_digest = '{ $text }' is not a digest; expected 32 hexadecimal digits
message_bad_id = '{ $text }' is not an id; expected PLACE-NUMBER, such as 3-17
message_bad_role = '{ $role }' is not a role; use system, human, ai or tool
message_content = expected a string or a list of blocks
message_in_member = { $path }: { $problem }
message_no_role = missing; use system, human, ai or tool
message_not_an_object = a message is an object with 'type' and 'content'
message_tag_repeated = the message already has a tag '{ $key }'; each tag can occur only once
message_tag_reserved = '{ $key }' is a member of the message itself and can't be a tag; choose another key
message_vector_not_finite = a vector contains a number that is infinite or not a number
message_vector_other_width = a vector has { $found } numbers; those before it have { $expected }
message_vector_width = a vector has { $found } numbers; there must be at least one and at most { $max }
message_vector_zero = all numbers of a vector are zero
