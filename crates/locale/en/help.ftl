# Texts of `--help`. Keys begin with `help_`; `src/cli/help.rs` says how they are put together.

## Pages

help_arguments = Arguments:
help_commands = Commands:
help_common_options = Common options:
help_default = {" "}[default: { $value }]
help_end =
    Exit codes: 0 success, 1 other error, 2 wrong usage, 3 error in a world or data, 4 error in a save, 5 error of a model or server, 6 limit reached, 7 expectations of a rehearsal not met, 130 stopped by Ctrl-C.

    Limits (--max-calls, --max-tokens, --max-cost) are checked before each call against the most that the call could use; a run that is stopped by a limit can be resumed. A save remembers its model, its seat and the limits that were given; `resume` uses them again unless you give others. Settings come from options, then the environment, then playhouse.ron in the working directory, then your own playhouse.ron, then defaults; `playhouse config` shows where each comes from. NO_COLOR is respected; RUST_LOG filters logs.
help_options = Options:
help_usage = Usage:{" "}
help_usage_options = [OPTIONS]

## Values

help_value_actor = ACTOR
help_value_address = ADDRESS
help_value_api = API
help_value_columns = COLUMNS
help_value_command = COMMAND
help_value_condition = CONDITION
help_value_dir = DIR
help_value_doctor_name = NAME|URL
help_value_entity = NAME
help_value_event = EVENT
help_value_fact = FACT
help_value_file = FILE
help_value_form = FORMAT
help_value_hash = HASH
help_value_id = ID
help_value_model = MODEL
help_value_n = N
help_value_name = NAME
help_value_new = NEW
help_value_other = OTHER
help_value_player_model = NAME=MODEL
help_value_port = PORT
help_value_scene_option = SCENE=OPTION
help_value_seconds = SECONDS
help_value_shell = SHELL
help_value_slot = SLOT
help_value_team = TEAM
help_value_text = TEXT
help_value_turn = TURN
help_value_variable = VARIABLE
help_value_watch_world = WORLD|SAVE
help_value_which = NAME
help_value_words = FILE|A,B
help_value_world = WORLD
help_value_amount = AMOUNT

## Commands

help_about_ask = Ask who knows what in a save, from whom, and why
help_about_ask_recall = What a character remembers for a question
help_about_ask_what = What a character knows, since when and from whom
help_about_ask_who = Who knows a fact, since when and from whom
help_about_ask_why = Who received an event, by which rule, and why others did not
help_about_branch = Continue from an earlier point of a save, in a new save
help_about_chat = Run a team on a task, or list the teams
help_about_check = Find all errors in a world or a team
help_about_completions = Print the script by which a shell completes commands and options
help_about_config = Show all settings and where they come from; keys are hidden
help_about_convert = Convert a conversation between the formats of different frameworks
help_about_data = Write the built-in data into a folder
help_about_data_export = Write the built-in data into a folder, to edit and use with --data
help_about_manual = Write manual pages for `man` into a folder
help_about_doctor = Test each model with one cheap request, and each tool server; or find out what the server at a URL can do, and print an entry for the model file
help_about_export = Export a save as one HTML file that needs neither the program nor a network
help_about_help = Show help
help_about_new = Create a small world to start from
help_about_playhouse = A headless engine for stories whose characters are played by LLMs. Without a command, it runs a world.
help_about_rehearse = Let the improviser play a world many times, and show how often things happen
help_about_replay = Replay a save from its journal and check that the result is the same
help_about_resume = Continue a save
help_about_run = Run a world
help_about_saves = List, check or repair the saves
help_about_show = Show a save: its characters and what they remember; with --view its calls, costs, events and more
help_about_trust = Show, grant or revoke your trust in a folder's files that run programs or send keys
help_about_undercover = Play Undercover, as a single game or a tournament
help_about_watch = Play a world or open a save, and show it in the browser; with --all, all saves
help_about_worlds = List the worlds

## Options that mean the same to all commands

help_any_allow_code = Allow team members that run code to start python and sh, with approval each time
help_any_away = Seconds that a person in the browser may leave a question open; after that, the improviser plays until the person takes the seat again (default: no limit)
help_any_color = When to use color: auto (on a terminal, unless NO_COLOR is set), always, never
help_any_data = Folder with worlds/, prompts/ and models.ron (default: ./data, else built-in data)
help_any_dry_run = Print the next prompts with their tokens and price, and send nothing; needs no key
help_any_embeddings = Also recall by meaning, with vectors that this model makes; its server needs /v1/embeddings (off: by words alone)
help_any_force = Start over in an existing save; its story is lost. More than one story is deleted only if you confirm it
help_any_form = How to print the conversation: rule (a line above each message), log (time and sender before each message)
help_any_games = Play this many stories, each with the next seed and in a save of its own, and show statistics; `resume` continues them. Tool servers are not connected
help_any_help = Show help
help_any_ids = Show the ID of each event, for `playhouse ask SAVE why`
help_any_invite = Let somebody play this character in the browser, at a separate address; may be repeated
help_any_jobs = Number of stories of a batch played at a time (default: one per core)
help_any_json = Print one JSON record per line instead of text
help_any_lang = Language of the interface: en, zh (default: from the locale)
help_any_listen = Address to listen on; any but this computer's own requires a token, which is printed
help_any_log_format = Format of the logs: text, json
help_any_max_calls = Maximum number of calls
help_any_max_cost = Maximum cost, in the currency of the model's price
help_any_max_defaults = Stop when more asks than this had no usable answer, so that their default was used (by default 5 in a row of one model, or 10 of its last 30; the model file can say otherwise)
help_any_max_tokens = Maximum number of tokens, prompts and answers together
help_any_model = The model that answers: a name from the model file, PROVIDER/MODEL, or improviser (built in, no key needed)
help_any_models = Model file to use instead of your own and the data folder's
help_any_on_server_error = What to do when a model can't be asked, or its server does not answer again in time: stop (the save can be resumed), fall-back (continue with default answers)
help_any_pace = Tell the story at reading speed, in words per minute (240 if no number is given); a Chinese character counts as two thirds of a word
help_any_port = Port to listen on (default: any free port)
help_any_quiet = Print errors only: no story, progress or tables
help_any_save = Name of the save (default: a new one)
help_any_saves = Folder of the saves (default: ./saves)
help_any_seat = Play this character yourself, and see only what it sees; /help lists the commands
help_any_seed = Random seed (default: PLAYHOUSE_SEED, or a random one, which is shown)
help_any_slot = Name of the save
help_any_task = The task
help_any_until = Stop after this turn
help_any_verbose = Print logs to standard error: -v for calls, -vv for everything; stories then also show turns, look-ups and verdicts
help_any_version = Show the version
help_any_watch = Also show the story in the browser
help_any_width = Width of the output in columns, 20 to 1000 (default: that of the terminal, at most 100)
help_any_world = Name of a world (see `playhouse worlds`), or path of a folder with a world.ron (default: the world.ron here, or in the only folder here that has one, else a built-in world)

## Options of single commands

help_branch_seed = Random seed from this turn on, for a different continuation
help_branch_turn = The turn from which to continue
help_branch_choose = Continue as if this option had been chosen in the scene
help_completions_shell = The shell: bash, elvish, fish, powershell, zsh
help_data_export_dir = The folder; if you delete a file in it later, the built-in one is used
help_data_export_force = Also overwrite files that differ
help_manual_dir = The folder, such as ~/.local/share/man/man1
help_trust_file = File to trust (default: the files of this folder)
help_trust_hash = Trust the file without asking if its content has this BLAKE3 hash
help_trust_list = List the files that you trust
help_trust_revoke = Stop trusting the file
help_check_name = Name of a world (see `playhouse worlds`) or a team (see `playhouse chat`), or path of a folder with a world.ron or of a team file
help_chat_team = Name of a team, such as en/writing-desk, or path of a team file; without it, the teams are listed
help_convert_file = The file to read (default, or if it is -: standard input)
help_convert_from = The format to read; same values as for --to (default: detected)
help_convert_name = Whose conversation it is (default: taken from the file)
help_convert_to = The format to write: playhouse, agentscope, agentscope-java1, agentscope-python1, agentscope-python2, langchain, langchain-flat, openai, openai-jsonl, autogen
help_doctor_api = The API of the server at the URL: openai, deepseek, anthropic, gemini, dashscope, ollama (default: found out)
help_doctor_ca = File in PEM with the certificate of the server at the URL, or of its authority
help_doctor_key_env = The environment variable with the key for the server at the URL
help_doctor_model = The model at the URL, by its name there; needed if there are several
help_doctor_name = Test only this model or tool server, or find out what the server at this URL can do, by at most 12 short requests
help_doctor_write = Add the entry to your model file (or to that of --models)
help_export_calls = Also include what was sent for every call, and every answer; the file becomes large
help_export_html = The HTML file to write
help_export_seat = Write only what this character saw
help_help_subcommand = The command
help_new_dir = The folder to create
help_new_kind = Kind of story: talk, mystery, journey (default: asked on a terminal, else journey)
help_new_world_lang = Language of the world: en, zh (default: that of the interface)
help_rehearse_cost_as = Show what a run would cost with this model
help_rehearse_find = Show the seeds of the runs that end with this condition true, such as 'Knows("Odile Marsh", "the-order")'
help_rehearse_why = Show why this scene, option (scene=option) or ending did not come about: what was missing, and how often
help_rehearse_html = Also write the tables and a graph to this HTML file
help_rehearse_jobs = Number of runs played at a time (default: one per core)
help_rehearse_runs = Number of runs
help_rehearse_world = Name of a world (see `playhouse worlds`), or path of a folder with a world.ron
help_rehearse_seed = Random seed of the first run; each later run adds one (default: 1, so that figures can be compared)
help_replay_seat = Show only what this character saw
help_resume_force = Load the save even if its data have changed or its journal does not match, at your own risk
help_resume_model = The model that answers from now on (default: as before)
help_resume_no_seat = Stop playing a character yourself
help_resume_seat = Play this character from now on (default: as before)
help_resume_seed = Random seed from here on, for a different continuation; a batch keeps its own
help_resume_task = The next task of a team
help_saves_verify = Check the files of all saves for damage, including every game of a batch
help_show_entity = Name of a character or stage; without it, all
help_show_turn = At the end of this turn (default: the last)
help_undercover_blank = Number of players without a word
help_undercover_from = Don't play; show the statistics of saves, tournaments, or folders of saves
help_undercover_games = Play a tournament of this many games, and show statistics
help_undercover_hide_roles = Don't reveal the roles of players who are voted out
help_undercover_jobs = Number of games played at a time (default: one per core)
help_undercover_max_rounds = Maximum number of rounds, after which the undercover players win (default: players + 2)
help_undercover_model_of = The model of one player; may be repeated
help_undercover_order = Order in which players speak: shuffled (each round anew), by-number
help_undercover_players = Number of players; their names come from the data folder
help_undercover_reflect = When players write down whom they suspect: off (never), round (after each round), line (after each description)
help_undercover_save = Name of the save or tournament (default: a new one)
help_undercover_seed = Random seed; each game of a tournament adds one (default: PLAYHOUSE_SEED, or a random one, which is shown)
help_undercover_ties = What to do about a tie: nobody-out, run-off (vote again between those who tied; nobody is out if they tie again), draw (at random)
help_undercover_watch = Show the game in the browser instead of the terminal; people can be invited there to play
help_undercover_undercover = Number of undercover players
help_undercover_words = A word file, or two words separated by a comma (default: the word lists of the data folder)
help_about_diff = Show where two saves diverge, or what changed between two prompts
help_diff_other = The other save; with --calls it may be the same one
help_diff_entity = Name of a character or stage whose memories or prompts are compared
help_diff_calls = Compare the prompts of two calls of this character, by their numbers
help_show_call = Show what was sent for the call with this number (see `--view calls`)
help_show_attempt = Which request of that call; tool calls and refused answers lead to several (default: the last)
help_watch_paused = Start paused; press Play on the page to begin
help_watch_world = The save or world to show; if there are both with this name, the save
help_branch_model_of = Use another model for one character; may be repeated
help_ask_recall_k = Maximum number of results
help_ask_recall_name = Name of the character
help_ask_recall_question = What to search for
help_ask_what_about = Show only what concerns this other character: facts, feelings, promises and memories
help_ask_what_name = Name of the character
help_ask_who_fact = ID or title of the fact, as in the world file
help_ask_why_event = ID of an event, such as 3-17 (see `playhouse show SAVE --view events`), or words that only its text contains
help_branch_new = Name of the new save (default: the old one with a number)
help_branch_retry = Ask again for what a model gave no answer to
help_branch_slot = Name of the old save
help_saves_repair = Restore this damaged save to its last good point
help_show_chapter = Open this chapter, by its ID or number
help_show_original = Show the messages that the chapter replaced
help_show_view = What to show: memory (the conversation as text; without a name, all characters and stages), json (the conversation in the interchange format), request (what was sent last, to the byte), chapters (of the past), calls (with tokens, time and cost), trace (what each call was asked, in a team what it saw, and what it answered), ag2 (as in AG2: the messages that a participant had before each of its turns), costs (by character and by purpose), events (with their IDs; with a name, those that it learned), voice (how far speech drifts from a character's voice over time)
help_value_question = QUESTION
help_watch_all = Show all saves
