# Texts of `crates/engine/src/engine/`. Keys begin with `engine_`.

engine_ambiguous = two systems access the same data without a declared order; order them with .chain(), .before() or .after(): { $systems }
engine_answers_again = { $mind } answers again.
engine_awaited = Waiting for { $mind } to answer { $entities }: { $reason }. Next attempt in { $pause } s; it is waited for { $patience } s at most.
engine_budget_used_up = the entity's budget is used up
engine_entity_gone = the entity is gone
engine_fault = at '{ $place }', turn { $turn }: { $fault }
engine_limit_calls = the next call could bring the run to { $would } calls; the limit is { $limit }
engine_limit_cost = the next call could bring the cost of the run to { $would }; the limit is { $limit }
engine_limit_near = Close to a limit: { $what }
engine_limit_tokens = the next call could bring the run to { $would } tokens; the limit is { $limit }
engine_meeting = the meeting
engine_near_calls = { $spent } of { $limit } calls are used
engine_near_cost = { $spent } of { $limit } are spent
engine_near_tokens = { $spent } of { $limit } tokens are used
engine_never_rests = '{ $place }' was still asking after { $steps } steps of turn { $turn }; make the stage stop asking, or raise the maximum number of steps
engine_no_vector = the server sent no vectors
engine_not_taken = at '{ $place }', turn { $turn }: no system took the answer '{ $reply }' of '{ $entity }'; a system must take Answers<…> in the step after it is given
engine_other_line =
    line { $line }
      recorded: { $recorded }
      now:      { $now }
engine_other_request =
    turn { $turn }: ask { $number } of '{ $entity }' ({ $purpose }) differs from the recording:
    { $difference }
engine_other_state = after turn { $turn }, the state of '{ $place }' differs from the recording
engine_other_world_state = after turn { $turn }, the state of the world differs from the recording
engine_prompts_unread = { $mind } was sent about { $sent } tokens, but its server read only { $read }: its chat template drops messages, or it cuts prompts. Choose the chat template that belongs to the model or a larger context on the server, and set `window` in the model file to that context; `playhouse doctor URL` tests it
engine_recall_by_words = vectors are not available, so recall continues by words alone: { $reason }
engine_same_question = the question is the same, but the history before it or the requested form differs
engine_server_awaited = { $reason } (waited { $seconds } s; { $entities } could not be asked)
engine_server_failed = { $reason } ({ $entities } could not be asked)
engine_snapshot = the snapshot can't be written: { $reason }
engine_tool_not_run = the tool can't be run
engine_unknown_mind = '{ $entity }' prefers the model '{ $alias }', which is not available in this run
engine_unknown_server_tool = '{ $entity }' may call '{ $tool }', but no server '{ $server }' with such a tool is connected; define it under `servers` in your model file, or run without servers
engine_unknown_tool = '{ $entity }' may call the tool '{ $tool }', which is not available in this run; expected one of: { $known }; or make it a table with the file { $table } in your data folder
engine_useless = the model '{ $mind }' gave no usable answer to { $too_often }; the last, for { $entity }: { $last }. { $advice }
engine_useless_help = What usually helps: another `schema` in the model file (json_mode or text), thinking switched off there (`extra`), more `thought_tokens`, another chat template on the server, or another model
engine_useless_in_a_row = { $count } asks in a row
engine_useless_last = its answer { $wrote } ({ $reason })
engine_useless_of_last = { $count } of the last { $of } asks
engine_useless_of_run = { $count } asks of this run
engine_useless_refusing = What usually helps: another model, or a world that asks for less of what it refuses
engine_wrote = began “{ $answer }”
engine_wrote_nothing = was empty
