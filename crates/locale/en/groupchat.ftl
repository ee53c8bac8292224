# Texts of `crates/groupchat/src/`. Keys begin with `groupchat_`.

## Errors of `ChatError`.

groupchat_cancelled = the run was cancelled
groupchat_changed_participants = the settings of { $names }
groupchat_changed_settings = the settings of the team
groupchat_component_no_team = this component is a { $kind }, not a team
groupchat_component_none = this is no component: it has no provider and config
groupchat_component_too_deep = its teams or conditions stand in one another more than { $max } times
groupchat_empty_task = a task needs at least one message; to continue without a task, run `Task::continue_run()`
groupchat_help_fewer_edges = remove some edges
groupchat_no_agent_states = 'agent_states' is missing
groupchat_nobody_plays = nobody plays this team
groupchat_other_participants = the state belongs to other participants: { $differences }; load it into a team with the same names, or start a new conversation
groupchat_not_a_state = this is not the saved state of a team: { $reason }
groupchat_run_failed = the run failed: { $reason }
groupchat_set_up = the team can't be set up: { $reason }
groupchat_state_elsewhere = { $names } were in another team
groupchat_state_lacks = the state lacks { $names }
groupchat_team_lacks = this team lacks { $names }
groupchat_stopped = the run stopped: { $reason }

## Errors in messages.

groupchat_message_members = { $name }: { $problem }
groupchat_message_no_type = the message has no 'type'; expected one of: { $known }
groupchat_message_not_an_object = a message is a JSON object
groupchat_message_type_registered = the message type '{ $name }' is already registered; choose another name
groupchat_message_unknown_type = unknown message type '{ $name }'; register it first, or use one of: { $known }

## Termination conditions.

groupchat_already_terminated = the termination condition has already been met; reset it before the next check
groupchat_condition_bad_seconds = the number of seconds is not positive
groupchat_condition_empty_text = every message contains the empty text
groupchat_condition_no_messages = with 0 messages, nobody would ever speak
groupchat_condition_no_parts = there are no conditions to combine
groupchat_condition_no_sources = no sources are given
groupchat_condition_no_time = no time is given
groupchat_condition_no_token_limit = no limit is given
groupchat_help_condition = add at least one condition
groupchat_help_positive_seconds = set it to more than 0 seconds
groupchat_help_sources = name at least one participant
groupchat_help_text = give a text to look for
groupchat_help_time = set turns or seconds
groupchat_help_token_limit = set at least one of total, prompt and completion

## Mistakes in team files.

groupchat_bad_approver = '{ $name }' can't approve its code
groupchat_bad_keyword = this is not a JSON schema: { $keyword } has an invalid value
groupchat_bad_tool_name = '{ $name }' can't be the name of a tool
groupchat_control_inside = only the outermost team can be open, be stopped from outside, or have a time limit in seconds
groupchat_endless_cycle = the cycle { $cycle } has no way out
groupchat_fold_all = with 0 tokens, the conversation would be folded at once
groupchat_group_conflict = the edges of group '{ $group }' to '{ $name }' conflict: some say All, others Any
groupchat_inner_team_taken = the team '{ $name }' already belongs to another participant
groupchat_internal_tool = '{ $name }' is an internal tool
groupchat_large_minimum = { $keyword } is more than { $max }, which no answer can have
groupchat_may_never_end = no condition is certain to be met, so a run might never end
groupchat_mixed_edges = the edges from '{ $name }' are mixed: some have a condition, others don't
groupchat_name_taken = the name '{ $name }' is already used at { $path }
groupchat_no_approver = nobody in this team can approve its code
groupchat_no_attempts = with 0 attempts, nobody could ever be selected
groupchat_no_exit = the graph has no exit: somebody always speaks next
groupchat_no_max_tokens = with 0 tokens, no answer is possible
groupchat_no_output_name = the output type has no name
groupchat_no_participants = there are no participants
groupchat_no_stalls = with 0 stalls, the team would replan forever
groupchat_no_start = nobody can begin: everybody waits for somebody else
groupchat_no_tool_description = the tool has no description
groupchat_no_tool_rounds = with 0 rounds, no tool could ever be called
groupchat_no_turns = with 0 turns, nobody would ever speak
groupchat_nobody_may_speak = the transitions let nobody speak
groupchat_nobody_to_choose = there is nobody to choose from
groupchat_not_a_schema = this is not a JSON schema
groupchat_not_an_identifier = '{ $name }' is not an identifier, as this team requires
groupchat_output_conflict = answers of an output type can contain neither other messages nor a handoff
groupchat_people_in_tool = a team that is a tool can't have people in it
groupchat_repeats_twice = both the transitions and `repeats` say who may speak twice in a row
groupchat_swarm_without_handoff = the first participant of the swarm has no handoffs
groupchat_team_in_swarm = a team can't hand over, so it can't take part in a swarm
groupchat_too_many_edges = more than { $max } edges
groupchat_too_many_participants = { $count } participants, counting those of inner teams and of teams that are tools; at most { $max } are allowed
groupchat_too_many_teams = { $count } teams, counting inner teams and teams that are tools; at most { $max } are allowed
groupchat_tool_name_taken = there is already a tool '{ $name }'
groupchat_tools_need_assistant = only participants of kind Assistant can call tools
groupchat_unknown_inner_team = this team has no inner team '{ $name }'
groupchat_unknown_participant = there is no participant '{ $name }'
groupchat_unknown_picker = there is no '{ $name }' who could select the next speaker
groupchat_unknown_source = nobody called '{ $name }' speaks here
groupchat_unknown_target = there is no '{ $name }' to hand over to
groupchat_unreachable = no edge leads to '{ $name }', who would never speak
groupchat_unsupported_keyword = the JSON Schema keyword { $keyword } is not supported
groupchat_unused_team = no participant uses the team '{ $name }'
groupchat_unused_tool = no participant uses the tool '{ $name }'
groupchat_user_name_taken = '{ $name }' is already the name of a participant or a team

## How to fix mistakes in team files.

groupchat_help_activation = use the same activation for all edges of a group
groupchat_help_approver = set `approver` to an Assistant or Person of this team, or, in the outermost team, to the user
groupchat_help_at_least_one = set it to 1 or more
groupchat_help_condition_for_all = give all of them a condition, or none
groupchat_help_condition_on_cycle = add a condition to one of its edges
groupchat_help_describe_tool = describe it in `about`, or in the `title` of the team
groupchat_help_edge_text = give a text to look for, or use Always
groupchat_help_edge_to = add an edge to it, or remove it
groupchat_help_entry = set an entry, or leave one participant without an edge to it
groupchat_help_exit = leave at least one participant without an edge from it
groupchat_help_fewer_participants = remove some participants
groupchat_help_fewer_teams = remove some teams
groupchat_help_handoff = add at least one handoff
groupchat_help_identifier = use letters, digits and '_', and no digit first, or leave out `naming: identifiers`
groupchat_help_inner_team = add a team of that name to `teams`
groupchat_help_large_minimum = use a smaller number
groupchat_help_limit = set max_turns, or add a condition such as MaxMessages(max: 20)
groupchat_help_make_assistant = remove the tools, or make it an Assistant
groupchat_help_move_out = move it to the outermost team
groupchat_help_name = use a name such as Ava
groupchat_help_name_tool = name another tool
groupchat_help_no_coders = or use a team without coders
groupchat_help_no_people = remove participants of kind Person, and Manual selection
groupchat_help_unsupported_keyword = use a schema without it
groupchat_help_one_of = expected one of: { $names }
groupchat_help_other_speaker = use a participant of kind Society, or another selection
groupchat_help_output = remove `output`, or both `produces` and handoffs without tools
groupchat_help_output_name = use a name such as Report
groupchat_help_own_name = give each participant and team a unique name
groupchat_help_own_team = give each participant its own team
groupchat_help_own_tool_name = give each tool a unique name
groupchat_help_participant = add at least one participant
groupchat_help_picker = name the user or a participant of kind Person
groupchat_help_repeats = remove `repeats`; a transition from a participant to itself allows repeats
groupchat_help_schema = write the schema of an object as JSON text
groupchat_help_tool_name = use 1 to 64 ASCII letters, digits, _ and -
groupchat_help_transitions = allow somebody after the user, and somebody after a participant
groupchat_help_two_participants = add at least two participants
groupchat_help_use_team = add a participant of kind Team or Society
groupchat_help_use_tool = add its name to the `tools` of a participant
groupchat_help_user_name = use a name such as user
groupchat_help_user_own_name = give the user a unique name, or that of a participant of kind Person
groupchat_help_without_tool = or remove the tool

## Why runs end, in the language of the team.

groupchat_stop_answered = { $source } has answered
groupchat_stop_done = The task is done
groupchat_stop_external = Stopped from outside
groupchat_stop_function = Condition '{ $name }' was met
groupchat_stop_function_call = Function '{ $name }' was executed
groupchat_stop_function_chose_nobody = The function selected nobody
groupchat_stop_graph_complete = The graph is complete
groupchat_stop_graph_incomplete = The graph is incomplete; still waiting: { $names }
groupchat_stop_handoff = { $source } handed over to { $target }
groupchat_stop_handoff_to_user = Handed over to { $name }
groupchat_stop_max_messages = Maximum number of messages { $max } reached, current message count: { $count }
groupchat_stop_max_turns = Maximum number of turns { $max } reached
groupchat_stop_mention = Text '{ $text }' mentioned
groupchat_stop_message = Stop message received
groupchat_stop_no_progress = No progress in { $rounds } rounds after { $plans } new plans
groupchat_stop_nobody_after = Nobody may speak after { $name }
groupchat_stop_seconds = Time limit of { $seconds } seconds reached
groupchat_stop_selector = The selector named nobody { $count } times in a row
groupchat_stop_text_message = { $source } sent a text message
groupchat_stop_tokens = Token limit reached: { $total } in total, { $prompt } in prompts, { $completion } in answers
groupchat_stop_turns = Time limit of { $turns } turns reached

## Why runs fail, in the language of the team.

groupchat_fail_analysis = the task could not be analysed: { $error }
groupchat_fail_answer = { $name } could not answer: { $error }
groupchat_fail_empty_answer = the answer is empty
groupchat_fail_max_tool_iterations = it calls tools instead of answering, and the maximum of { $max } tool iterations is reached
groupchat_fail_no_candidates = no candidate is left who could speak
groupchat_fail_nobody = nobody is present who could speak
groupchat_fail_progress = the progress could not be judged: { $error }
groupchat_fail_task_target = the task is handed over to '{ $name }', who is not a participant
groupchat_fail_unknown_function = the team uses the function '{ $name }', which was not provided
groupchat_fail_unknown_speaker = '{ $name }' was selected to speak, but is not a participant; expected one of: { $names }

## What the program says in a conversation, in the language of the team.

groupchat_conclusion = The task is done.
groupchat_earlier_talk = An earlier conversation
groupchat_no_approval = nobody is there to approve it
groupchat_no_response = No response.

## Why guards change messages.

