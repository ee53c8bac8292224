# Texts of `crates/dialect/src/`. Keys begin with `dialect_`.

dialect_ag2_event = an AG2 event '{ $kind }' has no content and is left out
dialect_arguments_completed = the arguments of '{ $tool }' were cut off; the missing end was added
dialect_arguments_discarded = the arguments of '{ $tool }' were discarded: { $error }
dialect_arguments_list = a list instead of an object
dialect_arguments_not_json = not JSON: { $reason }
dialect_arguments_number = a number instead of an object
dialect_arguments_other_value = a single value instead of an object
dialect_arguments_text = a text instead of an object
dialect_autogen_component = this describes an AutoGen { $kind } ('{ $provider }') and contains no conversation. To take the team over: playhouse import team FILE; to convert what was said, save the messages or the state of the team
dialect_block_without_type = a block without a type is kept as it came
dialect_expected_content = expected a text or a list of blocks
dialect_expected_message = expected an object with members
dialect_expected_text = expected a text
dialect_hidden_message = a message that SillyTavern hides from the model is left out
dialect_invalid_json = not valid JSON: { $reason }
dialect_invalid_json_line = line { $line } is not valid JSON: { $reason }
dialect_invalid_message = read as { $profile }: { $error }
dialect_media_in_words = { $words } is described in words, since this format has no place for it
dialect_media_no_folder = media file '{ $path }' can't be sent: no folder of media files is set
dialect_media_not_a_file = media file '{ $path }' can't be sent: it is not a file
dialect_media_not_base64 = the { $media_type } data within a message can't be sent: they are not valid base64
dialect_media_outside = media file '{ $path }' is outside { $folder }; only files inside it are sent
dialect_media_too_large = media file '{ $path }' is too large: { $bytes } bytes; the maximum is { $max }
dialect_media_unknown_type = media file '{ $path }' is not what it claims to be: expected { $expected }, found no known type
dialect_media_unreadable = media file '{ $path }' can't be read in { $folder }: { $reason }
dialect_media_wrong_type = media file '{ $path }' is not what it claims to be: expected { $expected }, found { $found }
dialect_members_left_out = what stands beside the messages is left out: { $members }
dialect_missing_memory_content = missing; expected a list of [message, [marks]]
dialect_missing_role = missing; expected one of: { $known }
dialect_missing_source = missing; expected the source of the { $kind }: a URL or data
dialect_name_replaced = the name '{ $name }' is written as '{ $alias }', since OpenAI accepts only ASCII letters, digits, '_' and '-'
dialect_names_left_out = { $count ->
    [one] the name of a speaker is left out
   *[other] { $count } names of speakers are left out
}, since this format has no place for names
dialect_no_members = can't tell the format of this conversation: none of its messages has members; name the format
dialect_no_messages = this saved state contains no messages
dialect_odd_call = one of the calls names no tool
dialect_other_file = this is { $kind }, not a conversation; it is not taken
dialect_profile_agent_framework = Microsoft Agent Framework: messages, answers and saved threads
dialect_profile_agentscope = AgentScope, as documented
dialect_profile_agentscope_java1 = AgentScope for Java 1
dialect_profile_agentscope_python1 = AgentScope for Python 1
dialect_profile_agentscope_python2 = AgentScope for Python 2
dialect_profile_autogen = AutoGen and AG2: messages, events, saved states
dialect_profile_gemini = Gemini: contents with parts, also as saved by AI Studio
dialect_profile_langchain = LangChain, as written by messages_to_dict
dialect_profile_langchain_flat = LangChain messages, dumped one by one
dialect_profile_openai = OpenAI chat messages
dialect_profile_openai_lines = OpenAI chat conversations, one per line
dialect_profile_playhouse = this program's own format
dialect_profile_responses = OpenAI Responses: the items of requests and answers
dialect_profile_sharegpt = ShareGPT conversations, one per line
dialect_profile_sillytavern = a SillyTavern chat, one message per line
dialect_stream_cut = the stream has no end: the answer was cut off, and what came of it is taken
dialect_tavern_book = a lorebook
dialect_tavern_card = a character card
dialect_tavern_extension = an extension
dialect_tavern_preset = a preset of settings for a model
dialect_tavern_replies = a set of quick replies
dialect_tavern_script = a regex script
dialect_tavern_template = a template of prompts
dialect_tavern_theme = a theme
dialect_thoughts_left_out = { $count ->
    [one] a thought is left out
   *[other] { $count } thoughts are left out
}, since this format has no place for thoughts
dialect_unknown_block = a block of the unknown type '{ $kind }' is kept as it came
dialect_unknown_left_out = { $count ->
    [one] a block of an unknown type is left out
   *[other] { $count } blocks of unknown types are left out
}, since this format has no place for them
dialect_unknown_format =
    can't tell the format of this conversation; name it.
    Messages have 'type' and 'content' (playhouse, langchain-flat); 'type' and 'data', or 'lc' and 'kwargs' (langchain); 'role' in capitals (agentscope, agentscope-java1); 'role' and 'timestamp' or 'metadata' (agentscope-python1); 'role' and 'created_at' (agentscope-python2); 'role' and 'content' or 'tool_calls' (openai); 'role' and 'parts' (gemini); 'type' and 'call_id' or 'summary' (openai-responses); 'role' and 'contents' (agent-framework); 'from' and 'value' (sharegpt); or 'name' and 'mes' (sillytavern).
    Found: { $members }
dialect_unknown_profile = unknown format '{ $name }'; expected one of: { $known }
dialect_unknown_role = unknown role '{ $role }'; expected one of: { $known }
