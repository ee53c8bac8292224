# 程序的文字：失败、表格、进度。键以 `cli_` 开头。

## 通用

cli_all = 全部
cli_branch_unplayed = “{ $slot }”的分支，尚未继续
# same
cli_colon = ：
cli_draft_unanswered = 没有能用的答案：{ $part }。
# same
cli_list = { $items }
cli_no = 否
cli_none = 无
cli_one_seat = 终端前只能坐一个人；多人请用 run、watch 或 undercover 在浏览器里玩。
# same
cli_place = { $place }
cli_rehearsal_nowhere = 已不在任何地方
cli_rehearsal_why_late = 其中 { $runs } 次到最后条件都齐了，却没有时间再开这一场：一个地点一轮只开一场。
cli_rehearsal_why_offered = 有 { $runs } 次提供了它，但选了别的。
cli_unknown = 未知
cli_value = 值
cli_yes = 是

## 错误

cli_at = 位置
cli_bad_words = “{ $words }”既不是词表文件，也不是用逗号隔开的两个词
cli_bad_words_help = 请用 --words 文件，或 --words 苹果,梨
cli_cant_begin = 无法开始：{ $error }。请放宽打开文件数和线程数的上限（ulimit -n、ulimit -u）
cli_cant_read = 无法读取输入：{ $error }
cli_cant_write = 无法写入输出：{ $error }
cli_clear_question = { $slot } 里有 { $count } 个故事，会全部丢失。要删除吗？［是/否］{" "}
cli_clear_refused = { $slot } 里有 { $count } 个故事，已保留
cli_clear_refused_help = 请用 --save 换一个名字；要用 --force 删除多个故事，必须在终端里确认
cli_did_you_mean = 是不是“{ $name }”？
cli_end_limit = 已到上限，运行停止：{ $reason }
cli_end_server = 模型无法回答，运行停止：{ $reason }
cli_end_useless = 回答无法使用，运行停止：{ $reason }
cli_error = 错误
cli_event_id_help = 事件编号形如 3-17；列出所有事件：playhouse show { $slot } --view events
cli_expected_one_of = 可选：{ $names }
cli_fix_world = 改正后运行：playhouse check { $world }
cli_game_errors = 无法开局：有 { $count } 处错误
cli_help = 建议
cli_input_too_long = 输入超过 { $limit } 字节
cli_input_too_many = 值多于 { $max } 个；请分批转换
cli_is_batch = { $slot } 是一批，含有许多局
cli_is_batch_help = 请指定其中一局，例如：playhouse show 00001 --saves { $games }
cli_list_teams = 列出所有团队：playhouse chat
cli_list_worlds = 列出所有世界：playhouse worlds
cli_new_model = 模型“{ $model }”是新加的；请停止后继续运行，才能使用它
cli_no_games = “{ $name }”里没有“谁是卧底”的对局
cli_no_games_help = 请给出存档、一批游戏，或存档所在的文件夹
cli_no_price = --max-cost 需要价格，而模型“{ $model }”没有价格
cli_no_price_help = 在模型文件中加上带日期的价格，或改用 --max-tokens、--max-calls
cli_no_command_help = 没有这个名字的命令或世界；请看：playhouse --help、playhouse worlds
cli_kept_unusable = 存档所存的世界“{ $world }”无法使用：{ $error }
cli_no_page = --port 和 --listen 用于网页，而这个故事没有网页
cli_no_page_help = 加上 --watch 即可提供网页。
cli_no_such_actor = 没有名为“{ $name }”、可以扮演的角色
cli_no_such_chapter = { $name }没有编号为“{ $id }”的章节
cli_no_such_entity = 这个存档里没有“{ $name }”
cli_no_such_file = 没有这个文件
cli_no_such_event = 没有编号为“{ $id }”的事件
cli_no_such_member = 世界文件没有叫“{ $member }”的成员
cli_no_such_scene = 没有叫“{ $scene }”的场景
cli_no_task = 团队没有任务
cli_no_team = 没有团队“{ $team }”
cli_no_world = 没有世界“{ $world }”
cli_not_with_batch = 成批的游戏不能使用 { $option }
cli_other_seed = 这一批是用种子 { $seed } 开始的，不能更换
cli_other_seed_help = 另开一批：--games 局数 --seed 种子
cli_replay_differs = 重放结束时的状态与快照不一致
cli_no_snapshot = 存档“{ $slot }”没有快照
cli_only_journal = 没有快照，可从日志继续
cli_repair_help = 恢复到最后一个完好的状态：playhouse saves --repair { $slot }
cli_save_repairable = { $problem }；可以恢复到第 { $turn } 轮
cli_resume_task_help = 请加上 --task 文字；继续这个存档：playhouse resume { $slot } --task 文字
cli_standard_input = 标准输入
cli_task_help = 请加上 --task 文字
cli_team_errors = 团队“{ $team }”无法使用：有 { $count } 处错误
cli_turn_passed = 存档已到第 { $now } 轮，超过了第 { $turn } 轮
cli_world_errors = 世界“{ $world }”无法运行：有 { $count } 处错误

## 信任

cli_trust_added = 你已信任 { $file } 的这份内容。
cli_trust_already = 你已经信任 { $file }。
cli_trust_changed = 内容已变
cli_trust_file = 文件
cli_trust_hash = 内容（BLAKE3）：{ $hash }
# same
cli_trust_hash_head = BLAKE3
cli_trust_help = 如果这正是你想要的，请运行：playhouse trust { $file }；也可以用 --models 文件 指定你自己的模型
cli_trust_missing = 文件不存在
cli_trust_model = 文件为每次运行选用模型“{ $model }”，可能产生费用
cli_trust_no_files = 这个文件夹里没有需要你信任的文件。
cli_trust_no_folder = 找不到你的设置文件夹，无法保存信任
cli_trust_no_folder_help = 请设置 HOME，或用 --models 文件 指定模型
cli_trust_none = 你没有信任任何文件。
cli_trust_nothing = { $file } 没有需要你信任的内容。
cli_trust_odd_path = 路径不是 UTF-8 编码，无法信任
cli_trust_other_hash = 文件的内容不同：{ $hash }
cli_trust_path = 文件把 `{ $setting }` 设为别处的文件夹：{ $path }
cli_trust_question = 信任这份内容吗？［是/否］{" "}
cli_trust_refused = { $file } 需要你的信任：{ $demands }
cli_trust_revoked = 你不再信任 { $file }。
cli_trust_same = 内容相同
cli_no_settings = 存档“{ $slot }”没有记录用什么来玩，继续的话会用 { $model }，没有席位和上限
cli_no_settings_help = 请指定模型、席位和上限：--model { $model }、--seat、--max-cost
cli_no_settings_question = 存档“{ $slot }”没有记录用什么来玩。用 { $model } 继续吗？除非你另外指定，否则没有席位和上限。［是/否］{" "}
cli_settings_changed = 文件已损坏，或被手工改动：与校验和不符
cli_settings_damaged = settings.json 已损坏：{ $problem }
cli_slot_settings_help = 这个文件只记录故事用什么来玩。请删除它，再重新指定：--model、--seat，以及原有的上限。
cli_trust_slot_help = 如果这正是你想要的，请运行：playhouse trust { $file }；也可以用 --model 另选模型
cli_trust_slot_model = 这个存档使用模型“{ $model }”，可能产生费用
cli_trust_slot_unnamed = 如果这正是你想要的，请在 { $path } 中写入 "player_models": ["{ $model }"]，然后运行：playhouse trust { $file }
cli_trust_wants = { $file } 来自这个文件夹，需要你的信任：
cli_trust_was_not = { $file } 本来就不受信任。

## 命令行

cli_usage_amount = 请写一个金额，例如 0.50
cli_usage_bad_value = “{ $value }”不能用作 { $option } 的值
cli_usage_conflict = { $option } 不能与 { $other } 同用
cli_usage_percent = 请写一个 0 到 100 的百分比
cli_usage_help = 查看用法：{ $command } --help
cli_usage_missing = 缺少：{ $options }
cli_usage_missing_question = 命令不完整，后面还要写其中一个：{ $names }
cli_usage_model_of = 请写玩家名和模型，例如 Greta=deepseek
cli_usage_no_value = { $option } 需要一个值
cli_usage_order = 先写命令，再写世界和选项
cli_usage_order_help = 例如：playhouse run --seed 7
cli_usage_unexpected = 多余的参数“{ $argument }”
cli_usage_unknown_command = 没有命令“{ $command }”
cli_usage_unknown_option = 没有选项 { $option }
cli_usage_wrong = 命令行有误

## 进度，以及运行如何结束

cli_built_without = 未包含：{ $features }（用 --features full 构建可得到全部功能）
cli_no_default_answers = { $slot } 没有默认回答：每个回答都是模型给出的。
cli_retried = { $count } 个默认回答将重新提问；此后只要提问相同，仍采用原来的回答。
cli_branched = 存档 { $slot } 将从第 { $turn } 轮继续。
cli_continue_limited = 继续：playhouse resume { $slot }（上限与之前相同，除非另行指定）
cli_continue_with = 继续：playhouse resume { $slot }
cli_pace_keys = （空格：往下 · + 和 -，或方向键：快些、慢些 · p：暂停 · q：停下）
cli_pace_paused = 已暂停，按空格继续。
cli_pace_speed = 每分钟 { $words } 词
cli_pace_stopped = 你读到第 { $turn } 轮停下了；已经演过的都已保存。
cli_read_all_with = 连你没看到的一起读：playhouse replay { $slot }
cli_read_again_with = 从头再读：playhouse replay { $slot }
cli_read_on_with = 接着读：playhouse replay { $slot }
cli_end_finished = 已结束。
cli_end_idle = 没有更多事情会发生。
cli_end_seats = 等这些人回答以后，故事再继续：{ $names }。
cli_end_recording = 记录到第 { $turn } 轮为止。
cli_end_stopped = 已停止，进度已保存。
cli_end_turn = 已到第 { $turn } 轮。
cli_awaiting = 正在等待 { $mind }，{ $seconds } 秒后再试
cli_others = {" "}· 另有 { $count } 个
cli_recalled = 沿用之前的设置：{ $options }
cli_not_played_again = 第 { $turn } 轮之后的内容无法重放（{ $reason }），以下是该轮结束时的情况。
cli_replay_matches = 重放与记录一致，直到第 { $turn } 轮。
cli_repair_aside = 损坏的文件保存在 { $path }。
cli_repair_gap = 第 { $turn } 轮之后的日志有缺失，重放可能到此为止。
cli_repair_lost = 日志丢失了 { $lines } 行。
cli_repair_nothing = { $slot } 没有损坏。
cli_repair_played_again = 快照没有保留；下次继续时会按日志重新生成，不再询问模型。
cli_repair_settings = 设置无法读取，已移到 { $path }；请用 resume --model、--seat 和上限重新指定
cli_repaired = { $folder } 已恢复到第 { $turn } 轮。
cli_next_task_with = 已存档。再给一个任务：playhouse resume { $slot } --task 文字
cli_team_needs = （构建时需加 --features { $features }）
cli_saved_as = 已存为 { $slot }。
cli_seed = 种子：{ $seed }
cli_stopping = 正在完成这一步；再按一次 Ctrl-C 立即退出。
cli_thinking = { $who }正在思考（{ $purpose }）{ $seconds } 秒
cli_try_next = 接下来可以试试：
cli_try_show = 每个人记得什么
cli_try_watch = 在浏览器里看这个故事
cli_try_who = 谁知道某个秘密，从谁那里得知

## 花费

cli_answer_tokens = 回答 token
cli_cached = 缓存率
cli_calls = 调用
cli_cost = 费用
cli_refusals = 拒绝
cli_defaults = 程序代替模型作了 { $count } 个回答：
cli_defaults_of = { $who }：{ $count } 个（{ $reason }）
cli_retry_with = 要在分支里重新提问：playhouse branch { $slot } --retry
cli_default = 默认
cli_default_answers = 默认回答
cli_dry_prompt = { $who }（{ $purpose }）：{ $tokens } 个 token，最多 { $cost }
cli_dry_prompt_without_price = { $who }（{ $purpose }）：{ $tokens } 个 token，价格未知
cli_dry_nothing = 接下来不会发送提示词。
cli_dry_run = 接下来会发送 { $count } 个提示词：{ $tokens } 个 token，最多 { $costs }。没有实际发送。
cli_dry_unpriced = 另有 { $count } 个提示词价格未知
cli_latency = 延迟：p50 { $p50 } 秒，p95 { $p95 } 秒
cli_prompt_reuse = 与先前提示词重复、可缓存的部分：{ $share }%
cli_prompt_tokens = 提示词 token
cli_purpose = 用途
cli_retries = 重试
cli_this_run = 本次运行：{ $calls } 次调用，{ $tokens } 个 token，费用 { $cost }
# same
cli_tokens = token
cli_total = 合计

## 存档和世界

cli_actor = 角色
cli_bytes = 字节
cli_chapters = 章节
cli_chapter_days = 天
cli_chapter_id = 编号
cli_chapter_level = 层次
cli_chapter_title = 标题
cli_data_differs = 已有内容不同的文件
cli_data_differs_help = 请换一个文件夹，或用 --force 覆盖不同的文件
cli_data_exported = 已写入 { $count } 个文件。使用它们：playhouse --data { $folder }
cli_level_chapter = 章
cli_level_volume = 卷
cli_level_life = 半生
cli_finished = 已完结
cli_in_progress = 进行中
cli_kind = 种类
cli_kind_journey = 远行：一队人出发，途中有打斗
cli_kind_mystery = 疑案：几个人里有一个做了那件事，得有人说出是谁
cli_kind_talk = 对谈：人物、秘密和一个决定，没有打斗
cli_language = 语言
cli_manual_written = 已把 { $count } 页手册写入 { $folder }。
cli_messages = 消息
cli_name = 名称
cli_prompts = 发送的提示词：总量（kB），其中与上一次重复的比例，以及新增部分的来源
cli_prompts_archived = 章节之后
cli_prompts_asked = 提问
cli_prompts_first = 首次提示词
cli_prompts_folded = 折叠之后
cli_prompts_new = 新消息
cli_prompts_recalled = 回忆
cli_prompts_repeated = 重复
cli_prompts_sent = 提示词 kB
cli_no_saves = { $path } 中没有存档。
cli_no_worlds = 没有世界。
cli_play_it = 开始运行：playhouse run { $folder }
cli_stage = 舞台
cli_state = 状态
cli_title = 标题
cli_batch = 一批，共 { $games } 局
cli_turn = 轮次
cli_world = 世界
cli_world_agent = 世界代理
cli_world_created = 已创建 { $path }。
cli_cost_at_least = 至少 { $cost }
cli_price_unknown = 未知
cli_team_ok = 团队“{ $team }”没有错误{ $warnings ->
    [0] 。
   *[other] ，有 { $warnings } 条警告。
    }
cli_world_ok = 世界“{ $world }”没有错误{ $warnings ->
    [0] 。
   *[other] ，有 { $warnings } 条警告。
    }

## 谁收到了事件

cli_event_at = 第 { $turn } 轮，{ $place }
cli_event_by = 发出者：{ $who }
cli_others_not_told = 其他人
cli_recipients = 接收者
cli_rule = 规则
cli_rule_everywhere = 所有舞台，以及台上所有活着的角色
cli_rule_except = { $rule }，{ $names }除外
cli_rule_named = 仅指定的接收者
cli_rule_private = 内心想法，只有本人知道
cli_rule_stage = 舞台“{ $stage }”，以及台上所有活着的角色

## 对话

cli_chat_log_summary =
    ==================================================
    📋 任务完成
    停止原因：{ $reason }
    消息数：{ $count }
    ==================================================
cli_chat_log_usage = {"    "}📊 模型使用：{ $prompt } + { $answer } = { $total } 个 token
cli_chat_retracted = ［{ $who } 撤回了以上发言］
cli_chat_summary =
    ---------- 小结 ----------
    消息数：{ $count }
    结束原因：{ $reason }
    提示词 token 合计：{ $prompt }
    回答 token 合计：{ $answer }
    用时：{ $seconds } 秒
cli_chat_usage = ［提示词 token：{ $prompt }，回答 token：{ $answer }］
cli_convert_read = 已按 { $form } 格式读取 { $count } 条消息。
cli_trace_asked = 提问（{ $purpose }，{ $model }）
cli_trace_call = >>> 角色：{ $agent }（第 { $number } 次调用）
cli_trace_context = 内部上下文（{ $sender }）：{ $count } 条消息
cli_trace_failed = 没有可用的回答：{ $reason }
cli_trace_inside = 所在团队：{ $team }
cli_trace_recalled = 想起：{ $memory }
cli_trace_recalled_used = 想起并用上了：{ $memory }
cli_trace_refused = 被退回：{ $answer }
cli_trace_reply = 回答：{ $reply }
cli_trace_sender = 发送者：{ $sender }
cli_trace_system = 系统消息：{ $text }

## 设置和服务器

cli_answers = 有应答
cli_cache_fields = 缓存字段
cli_free = 免费
cli_from = 来源
cli_from_build = 构建
cli_from_default = 默认
cli_from_environment = 环境变量（{ $variable }）
cli_from_file = 文件（{ $file }）
cli_from_flag = 命令行
cli_from_own_file = 你自己的文件（{ $file }）
cli_from_save = 存档
cli_key = 密钥
cli_key_missing = 缺少
cli_key_refused = 被拒绝
cli_key_set = 已设置
cli_milliseconds = 毫秒
cli_model = 模型
cli_price = 价格
cli_reachable = 可连接
# same
cli_schema = schema
cli_server = 服务器
cli_setting = 设置
cli_streaming = 流式
cli_tool_server = 工具服务器
cli_tools = 工具
cli_which_kind = 写哪一种故事？（输入编号，直接回车：远行）
cli_window = 上下文窗口

## 成批与赛事

cli_games = { $games } 局
cli_games_and_unfinished = { $games } 局（另有 { $unfinished } 局未完）
cli_games_played = 已完成 { $done }/{ $all } 局；胜局：平民 { $civilians }，卧底 { $undercover }
cli_stat_abstentions = 每局弃权
cli_stat_answer_tokens = 每局回答 token
cli_stat_blank_stays = 白板留到最后
cli_stat_calls = 每局调用
cli_stat_civilians_left = 平民留存
cli_stat_civilians_win = 平民获胜
cli_stat_cost = 每局费用
cli_stat_default_lines = 每局默认描述
cli_stat_figure = 指标
cli_stat_games = 局数
cli_stat_guesses_role = 卧底猜出自己的身份
cli_stat_interval = 95% 区间
cli_stat_note = 95% 区间：比例用威尔逊区间，均值用 t 区间。
cli_stat_prompt_tokens = 每局提示词 token
cli_stat_repeats = 重复
cli_stat_repeats_per_game = 每局拦下的重复描述
cli_stat_round = 轮次
cli_stat_rounds = 每局轮数
cli_stat_seats = 人次
cli_stat_undercover_left = 卧底留存
cli_stat_undercover_win = 卧底获胜
cli_stat_votes_on_undercover = 投中卧底的票
cli_stat_won_as_civilian = 平民胜率
cli_stat_won_as_undercover = 卧底胜率
cli_stat_word_slips = 漏词
cli_stat_word_slips_per_game = 每局拦下的漏词描述
cli_batch_saved = 已存入 { $folder }。再看统计：playhouse resume { $slot }
cli_tournament_saved = 已存入 { $folder }。再看统计：playhouse undercover --from { $slot }
cli_knows_about = { $title }（{ $since }；{ $from }；事件 { $event }）
cli_knows_about_found = { $title }（{ $since }；事件 { $event }）
# same
cli_knows_about_start = { $title }（{ $since }）
cli_knows_all = 人人皆知
cli_knows_day = 第 { $day } 天
cli_knows_denies = （与“{ $title }”不能同真）
cli_knows_event = 事件
cli_knows_everyone = 这件事一开始就人人皆知。
cli_knows_fact = 编号
cli_knows_facts = 知道的事实
cli_knows_known_by = 知情人数
cli_knows_feels = 对{ $about }的感受：{ $word }（{ $value }）
cli_knows_from = 来源
cli_knows_from_start = 一开始就知道
cli_knows_heard = 最近所见所闻的有关事件：
cli_knows_no_fact = 没有编号或标题为“{ $id }”的事实
cli_knows_promise = { $by }对{ $to }承诺：“{ $words }”
cli_knows_since = 得知时间
cli_knows_title = 事实
cli_knows_who = 知情者
cli_recall_bad_id = `id` 必须是字符串或数字
cli_recall_bad_line = 不是有效的记录：{ $error }
cli_recall_bad_text = `{ $name }` 必须是字符串
cli_recall_day = 第 { $day } 天
cli_recall_line_too_long = 这一行超过 { $max } 字节
cli_recall_no_text = 缺少 `{ $name }`，或者不是字符串
cli_recall_nothing = 没有与这个问题有关的记忆。
cli_recall_too_many_lines = 文件里的记录超过 { $max } 条
cli_usage_choose = 请写场景和它的一个选项，例如 the-log=burn

## 排演

cli_expectation_errors = 预期文件里有 { $count } 处错误
cli_no_price_as = --cost-as 需要价格，但模型“{ $model }”没有标价
cli_rehearsal_afternoon = 下午
cli_rehearsal_alone = 只差它
cli_rehearsal_always = { $name } 每次都出现了。
cli_rehearsal_at_first = 起初
cli_rehearsal_begin = 开始的场景
cli_rehearsal_camp = 宿营
cli_rehearsal_instead = 条件已全部满足，但 { $other } 抢了先
cli_rehearsal_knower = { $who }（第 { $day } 天起，{ $runs } 次）
cli_rehearsal_known = 谁能知道什么，从哪一天起，在几次运行中
cli_rehearsal_map = 按日子、时段和地点排列的场景与人物，各附运行次数
cli_rehearsal_missing = { $name } 为何没有出现？{ $of } 次中有 { $runs } 次没有出现，其中 { $asked } 次检查过它的条件
cli_rehearsal_before = 故事开始之前
cli_rehearsal_morning = 上午
cli_rehearsal_near = 有机会说
cli_rehearsal_never_held = 从未成立
cli_rehearsal_never_title = 从未出现的内容
cli_rehearsal_no_such_id = 没有叫“{ $id }”的场景、选项、结局或事实；选项写作 场景=选项
cli_rehearsal_on_day = 日
cli_rehearsal_part = 条件中的一项
cli_rehearsal_people = 人物
cli_rehearsal_retreat = 撤退
cli_rehearsal_return = 归来
cli_rehearsal_seed = { $seed }（第 { $turn } 轮）
cli_rehearsal_time = 时段
cli_rehearsal_travel = 途中
cli_rehearsal_why = 原因
cli_rehearsal_answer_tokens = 每次运行的回答 token
cli_rehearsal_at_end = 结束时
cli_rehearsal_at_start = 开始时
cli_rehearsal_bar = { $of } 次中有 { $hits } 次；95% 区间：{ $interval }
cli_rehearsal_bond = 关系
cli_rehearsal_bonds = 关系
cli_rehearsal_by = 得知者
cli_rehearsal_cached = 其中来自缓存
cli_rehearsal_calls = 每次运行的调用
cli_rehearsal_cards = 卡牌
cli_rehearsal_chosen = 占抉择的比例
cli_rehearsal_cost = 用 { $model } 时每次运行的费用
cli_rehearsal_course = 进程
cli_rehearsal_course_note = 场景、抉择、表决、战斗和结局的先后关系；线越粗，次数越多。百分比是占运行次数的比例。
cli_rehearsal_day = 首次在第几天
cli_rehearsal_days = 每次运行的在家天数
cli_rehearsal_default_answers = 每次运行的默认回答
cli_rehearsal_end = 种子为 { $seed } 的那次运行，结局是：{ $text }
cli_rehearsal_ending = 结局
cli_rehearsal_endings = 结局
cli_rehearsal_fact = 事实
cli_rehearsal_facts = 事实（说出最少的在前）
cli_rehearsal_false_text = { $message }：{ $of } 次运行中有 { $runs } 次这样讲，最早是 --seed { $seed } 的第 { $turn } 回合
cli_rehearsal_true = { $runs } 次运行中，没有讲出不实的文字。
cli_rehearsal_false = 有 { $count } 处文字讲出来时与实情不符
cli_rehearsal_failed = { $count } 次运行失败；第一次的种子是 { $seed }：{ $reason }
cli_rehearsal_failed_runs = 失败的运行
cli_rehearsal_fallen = 每场倒下的英雄
cli_rehearsal_falls = 谁倒下过
cli_rehearsal_fights = 战斗
cli_rehearsal_fights_won = 战斗胜率
cli_rehearsal_fought = 发生（占运行次数）
cli_rehearsal_found = { $of } 次运行中有 { $count } 次符合，种子是：{ $seeds }
cli_rehearsal_found_many = { $of } 次运行中有 { $count } 次符合；前 { $first } 次的种子是：{ $seeds }
cli_rehearsal_found_none = { $of } 次运行中没有一次符合
cli_rehearsal_from = 告知者
cli_rehearsal_goal = 目标
cli_rehearsal_goals = 目标
cli_rehearsal_gone = 已不存在
cli_rehearsal_holder = 最后的持有者
cli_rehearsal_in_runs = 运行次数
cli_rehearsal_item = 物品
cli_rehearsal_items = 物品
cli_rehearsal_learned = 得知（占运行次数）
cli_rehearsal_lost = 败
cli_rehearsal_memories = 记忆
cli_rehearsal_met = 达成
cli_rehearsal_narration = 叙述
cli_rehearsal_never = 从未
cli_rehearsal_not_met = 失败
cli_rehearsal_option = 选项
cli_rehearsal_options = 抉择
cli_rehearsal_overview = 总览
cli_rehearsal_page = 已写入网页：{ $path }
cli_rehearsal_prompt_tokens = 每次运行的提示词 token
cli_rehearsal_purposes = 每次运行的调用，按用途
cli_rehearsal_qualities = 数值
cli_rehearsal_quality = 数值
cli_rehearsal_repeated = 同一次运行里重复的分句（六字以上）
cli_rehearsal_rounds = 回合
cli_rehearsal_runs = 运行次数
cli_rehearsal_scene = 场景
cli_rehearsal_scenes = 场景（最少见的在前）
cli_rehearsal_share_of_clauses = 占分句的比例
cli_rehearsal_share_of_runs = 占运行次数的比例
cli_rehearsal_share_of_tokens = 占比
cli_rehearsal_speech = 对话
cli_rehearsal_stage = 舞台
cli_rehearsal_start = 开始
cli_rehearsal_subtitle = 即兴演员运行了 { $runs } 次，第一次的种子是 { $seed }
cli_rehearsal_texts = 文本
cli_rehearsal_thoughts = 心声
cli_rehearsal_tokens_fights = 战斗所用的 token
cli_rehearsal_tokens_memory = 记忆所用的 token
cli_rehearsal_tokens_other = 其余所用的 token
cli_rehearsal_tokens_talk = 对话所用的 token
cli_rehearsal_taken_up = 说出后有人接话
cli_rehearsal_told = 说出（占运行次数）
cli_rehearsal_turns = 每次运行的轮数
cli_rehearsal_unmet = 有 { $count } 项预期没有达到
cli_rehearsal_unmet_title = 没有达到的预期
cli_rehearsal_carried = 占这次表决的比例
cli_rehearsal_effect = 效果
cli_rehearsal_result = 结果
cli_rehearsal_skipped = 没有生效的效果
cli_rehearsal_vote = 第几次
cli_rehearsal_votes = 表决
cli_rehearsal_why_alone = 其中 { $runs } 次只差 { $part }。
cli_rehearsal_why_elsewhere = { $who }当时在别处：{ $places }。
cli_rehearsal_why_instead = 其中 { $runs } 次条件已全部满足，但 { $other } 先到一步。
cli_rehearsal_why_told = { $of } 次运行中有 { $told } 次讲出了 { $name }。其余 { $untold } 次中有 { $near } 次本来有机会：知情的人和不知情的人在一起。
cli_rehearsal_why_words = { $of } 次运行中有 { $runs } 次没有出现 { $name }。其中 { $asked } 次轮到过它，{ $near } 次最多只缺一个条件。
cli_rehearsal_won = 胜
cli_runs_played = 已运行 { $done }/{ $all } 次
cli_no_such_attempt = { $who }的第 { $number } 次调用有 { $count } 个请求，没有第 { $attempt } 个
cli_no_such_call = { $who }没有第 { $number } 次调用的记录
cli_calls_help = 列出所有调用：playhouse show { $slot } "{ $who }" --view calls
cli_cost_unknown = 程序结束时还有 { $requests } 个请求没有答复，花费不明：至多 { $tokens } 个 token，费用：{ $cost }。
cli_nothing_sent = { $who }从未被询问过
cli_request_sent = { $who } · 第 { $number } 次调用，第 { $attempt } 个请求 · 第 { $turn } 轮 · { $purpose } · 发给 { $model }
cli_request_unsent = { $who } · 第 { $number } 次调用，第 { $attempt } 个请求 · 第 { $turn } 轮 · { $purpose } · 没有向 { $model } 发送请求；这是它看到的内容
cli_no_event_says = 没有哪个事件的文字含有“{ $words }”
cli_many_events_say = 有 { $count } 个事件的文字含有“{ $words }”
cli_many_events_help = 请给出更长的文字，或用编号：{ $ids }
# same
cli_not_told = { $who }（{ $why }）
cli_why_not_elsewhere = 在别处
cli_why_chosen = 当时的想法
cli_why_not_at = 在{ $place }
cli_why_not_left_out = 被点名排除
cli_why_not_named = 没有被点名
cli_why_not_private = 是别人的内心想法
cli_why_not_dead = 已退场
cli_why_not_withheld = 被防护扣下
cli_timeline_call = 调用
cli_timeline_prompt = 提示词
cli_timeline_answer = 回答
cli_timeline_time = 用时
cli_timeline_result = 结果
cli_timeline_default = 默认回答：{ $reason }
cli_timeline_refused = { $count } 次被拒
cli_diff_same = { $first } 与 { $second } 是同一个故事。
cli_diff_goes_on = 到第 { $turn } 轮为止完全相同，此后只有 { $later } 继续。
cli_diff_parts = 到第 { $turn } 轮为止完全相同，此后不同。
cli_diff_worlds = { $first } 与 { $second } 是不同世界的故事：{ $world } 与 { $other }
cli_diff_seeds = 种子：{ $one } 与 { $two }
cli_diff_same_question = 问题相同
cli_diff_other_question = 问题不同
cli_diff_not_asked = 没有被询问
cli_diff_knows = 只有在 { $save } 里，{ $name }才知道：{ $titles }
cli_diff_kept = { $count } 条相同
cli_diff_added = 新增 { $count } 条
cli_diff_asked = 来自上一个问题的 { $count } 条
cli_diff_archived = 归档 { $count } 条
cli_diff_cut = 省略 { $count } 条
cli_watch_address = 页面地址：{ $address }（按 Ctrl-C 结束）
cli_watch_estimate = 用 playhouse run 世界 --dry-run 查看运行的费用
cli_view_option = 只有 memory、json 和 request 才有 { $option } 选项
cli_watch_option = watch 没有 { $option } 选项
cli_watch_phones = 要让同一网络里的手机打开这些链接，请加上 --listen 0.0.0.0。
cli_watch_seat = 扮演{ $name }的地址：{ $address }
cli_watch_shows = 编号与速度在网页上设置

## 入座

cli_seat_alone = 这里没有别人。
# same
cli_seat_bond = { $to }：{ $word }（{ $value }）
cli_seat_bonds = 你眼里的他们：
cli_seat_look = 别人眼中的你：{ $look }
cli_seat_first_help = （/我 再看一遍，/谁在 看谁在这里，/撤销 收回回答，/帮助 列出可以输入的一切。）
cli_seat_first_help_short = （/我 再看一遍，/帮助 列出可以输入的一切。）
cli_seat_fallen = 你倒下了，接下来看这一仗打到最后。
cli_seat_goal_lost = { $goal }（已落空）
cli_seat_goal_met = { $goal }（已达成）
cli_seat_health = 体力：{ $hp }/{ $max }
cli_seat_help = 列出这些命令
cli_seat_help_me = 你是谁：本事、物品、关系、目标、承诺
cli_seat_help_me_in_team = 你是谁：团队给你的设定
cli_seat_help_me_in_undercover = 你是谁，以及你的词
cli_seat_help_more = 选项太多没有列全时，列出全部
cli_seat_help_quit = 离开；故事已保存，可以继续
cli_seat_help_save = 故事存在哪里，怎样继续
cli_seat_help_secrets = 你的秘密：你知道而别人未必知道的事，以及是谁告诉你的
cli_seat_help_undo = 收回你上一个回答；故事在新存档里继续
cli_seat_help_who = 谁和你在一起
cli_seat_help_word = 你的词
# same
cli_seat_item = { $name }：{ $look }
cli_seat_more = {"  "}……还有 { $count } 项：输入 /更多 全部列出，输入其中几个词也能选中。
cli_seat_no_secrets = 你没有秘密：你知道的事，人人都知道。
cli_seat_no_word = 你没有词：你是白板。
cli_seat_out = 你出局了，接下来看这局游戏走到最后。
cli_seat_nothing_to_undo = 你还没有可以收回的回答。
cli_seat_place = 你在：{ $place }
# same
cli_seat_present = {"  "}{ $name }：{ $look }
cli_seat_promise = 对{ $to }：{ $words }
cli_seat_promises = 你答应过的：
# same
cli_seat_row = - { $row }
cli_seat_saved = 到你上一个回答为止，一切都已存为 { $slot }，不必另存。以后继续：playhouse resume { $save }
# same
cli_seat_secret = { $title }：{ $words }
cli_seat_secret_found = { $title }（第 { $day } 天得知）：{ $words }
cli_seat_secret_from = { $title }（第 { $day } 天，{ $from }告诉你）：{ $words }
cli_seat_skills = 技能：{ $skills }
cli_seat_hand = 手牌：{ $cards }
cli_hand = 手牌
cli_seat_undone = 已收回你上一个回答（{ $what }）。故事以 { $slot } 继续；原来的经过仍在 { $old }。
cli_seat_unknown = 没有 /{ $command } 这个命令。输入 /帮助 查看所有命令。
cli_seat_word = 你的词：{ $word }
cli_data_changed = 存档之后，故事所用的文件有了改动。以下改动即刻生效：
cli_doctor_by_hand = 无法把条目添加到这个文件，请手动添加
cli_doctor_cost = 共用了 { $requests } 次请求：读取 { $read } 个 token，写出 { $written } 个。
cli_doctor_entry = 模型文件的条目如下（--write 会添加它），之后可以这样使用：playhouse run --model { $alias }
cli_doctor_known = 没有写入：文件中已有这台服务器的这个模型，名称是 { $alias }
cli_doctor_needs_url = --model、--key-env、--api、--ca 和 --write 只能与服务器的 URL 一起使用，例如 http://localhost:8080
cli_doctor_no_folder = 没有可以写入的设置文件夹，请用 --models 指定文件
cli_doctor_no_key = 没有设置环境变量 { $variable }
cli_doctor_trying = 正在检测：{ $what }
cli_doctor_unread = 服务器只读到所发内容的一小部分，这样无法演出故事
cli_doctor_written = 已添加到 { $file }。使用方法：playhouse run --model { $alias }
cli_finding = 项目
cli_found = 结果
cli_models_of_team = 团队成员的模型由团队文件决定；请改文件后再继续

## 实验

cli_experiment = 实验，共 { $conditions } 个条件
cli_experiment_changed = 条件“{ $condition }”在其故事开始之后改动过
cli_experiment_changed_help = 请恢复原样，或用 --save 换一个名字运行实验
cli_experiment_condition = 条件
cli_experiment_difference = 差异
cli_experiment_differences = 与第一个条件的差异
cli_experiment_effect = 效应量
cli_experiment_errors = 实验中有 { $count } 处错误
cli_experiment_note = 区间均为 95%：比例用威尔逊区间，均值用 t 区间，配对比例之差用 Newcombe 法。种子相同的故事配成一对。效应量：比例用 Cohen h，配对差值用 d。p：McNemar 精确检验或配对 t 检验；已按 Holm 法对以上全部检验校正。*：小于 0.05
cli_experiment_outcome = 结果
cli_experiment_outcomes = 各条件的结果
# same
cli_experiment_p = p
cli_experiment_p_holm = 校正后的 p
cli_experiment_pairs = 配对数
cli_experiment_saved = 已存入 { $folder }。再看报告：playhouse experiment report { $path }
cli_exported = 已把 { $tables } 张表写入 { $folder }。
cli_import_changed = 有改动
cli_import_chapter = 记得“{ $title }”（{ $count } 行）
cli_import_count = { $count } 项未导入
cli_import_cut = { $count } 行已截短到 { $max } 字
cli_import_fate = 结果
cli_import_note = 说明
cli_import_is_there = 世界中已有
cli_import_known = 已经记得“{ $title }”
cli_import_dropped = 未采用
# same
cli_import_named = { $what }
cli_import_nameless = { $count } 行没有说话者
cli_import_no_persona = 没有名为“{ $name }”的人设
cli_import_no_persona_help = 文件中有：{ $names }
cli_import_no_personas = 此文件中没有人设
cli_import_no_place = 没有可添加的位置：{ $path }
cli_import_nobody = 这个世界里没有人参与过这段聊天
cli_import_nobody_help = 世界中有：{ $names }。请导入人设，或按聊天中的名字把说话者写进世界
cli_import_not_wanted = 不是默认人设；要导入请加 --name "{ $name }"
cli_import_old = 最早的 { $count } 行；最多导入 { $max } 行
cli_import_past = 你和{ $others }聊过。开头是“{ $first }”，结尾是“{ $last }”
cli_import_seat = 扮演：playhouse { $command }
cli_import_setting = 聊天的一项设置
cli_import_stranger = { $count } 行；世界中没有叫这个名字的人
cli_import_taken = 已采用
cli_import_team = 团队文件
cli_import_part = 部分
cli_export_examples = { $examples } 个样本。省略：{ $defaults } 个默认回答、{ $repaired } 个修正过的回答、{ $short } 个过短的回答
cli_export_file = 文件
cli_export_lines = 行数
cli_export_log = { $file }：{ $entries } 条
cli_no_experiment = 存档中没有实验“{ $name }”
cli_no_experiment_help = 用这条命令开始：playhouse experiment run { $file }
cli_continue_by = 继续：playhouse { $command }
cli_continue_limited_by = 继续：playhouse { $command }（上限与之前相同，除非另行指定）

## 草稿

cli_draft_answered = 已写好：{ $part }。
cli_draft_answered_names = 已写好：{ $part }（{ $names }）。
cli_draft_changed = 略去的或需要查看的部分：
cli_draft_changes = 排演指出的毛病
cli_draft_endings = 结局与目标（接着排演）
cli_draft_go_on = 答过的不会再问：用同样的命令继续，或查看 { $folder }/draft
cli_draft_needs_model = 起草需要模型，即兴演员不能起草
cli_draft_needs_model_help = 用 --model 指定一个（见 `playhouse doctor`），或从模板开始：playhouse new NAME --kind talk
cli_draft_next = 请读 { $folder }/world.ron，注释指出该看的地方；然后运行 playhouse rehearse { $folder } 和 playhouse run { $folder }
cli_draft_not_used = 据模型说没有用上的部分：
cli_draft_other_text = { $folder } 里有另一段文字的草稿；请换一个文件夹
cli_draft_outline = 地点与人物
cli_draft_plot = 情节
cli_draft_rehearsed = 已排演 { $done }/{ $all } 次。
cli_draft_scenes = 场景的文字
cli_draft_somebody = 某人
cli_draft_spent = 读了 { $input } 个 token，写了 { $output } 个。
cli_draft_stakes = 事实、物件与关系
cli_draft_too_long = 原文共 { $length } 个字符，只读了前 { $read } 个。
cli_draft_unmet = 排演仍未达到的：
cli_draft_unusable = 模型没有给出足以构成世界的地点与人物；什么也没有写入
cli_draft_voices = 各人的声音
cli_draft_warned = `check` 仍有警告的：
cli_draft_written = { $path }：{ $people } 个人物，{ $facts } 个事实，{ $scenes } 个场景，{ $endings } 个结局。`check` 没有发现错误。
cli_suggest_new = { $name }：新的，出现 { $after } 次
cli_suggest_nothing = 模型没有提出合适的内容：{ $reasons }
cli_suggest_rehearsed = 每 100 次排演中，没有它和有它：
cli_suggest_shift = { $name }：没有它时出现 { $before } 次，有它时 { $after } 次
cli_suggest_take = 这样修改文件吗？[y/N]

## 单个场景
cli_scene_never = { $played } 次排演都没有走到场景“{ $scene }”
cli_scene_opens = 场景“{ $scene }”在种子 { $seed } 的故事第 { $turn } 轮开始；之前的部分由即兴演员演完。
cli_scene_why = 查明原因：playhouse rehearse { $world } --why { $scene }
cli_import_warned = 请留意
cli_no_cards = 这些文件里没有角色卡
cli_note = 备注
cli_worker = 工作进程
cli_no_store = 没有指定存储库
cli_no_store_help = 请用 --store 指定，或设置 PLAYHOUSE_STORE
cli_no_submitted = 存储库中没有世界。
cli_submitted = 已提交：{ $world }
cli_removed_world = 已删除：{ $world }
cli_list_submitted = 列出存储库中的世界：playhouse status
cli_worker_ready = 工作进程 { $name } 最多同时运行 { $worlds } 个世界。按 Ctrl-C 把它们移交给其他工作进程。
cli_worker_began = { $world }：从第 { $turn } 轮之后开始
cli_worker_left = { $world }：{ $phase }，到第 { $turn } 轮
cli_worker_left_why = { $world }：{ $phase }，到第 { $turn } 轮：{ $note }
cli_worker_gave_back = { $world }：第 { $turn } 轮之后已移交
cli_worker_lost = { $world }：已由另一个工作进程接手
cli_worker_waits = { $world }：等待中：{ $reason }
cli_packed = { $slot } 已打包到 { $path }。
cli_unpacked = 已解包为 { $slot }。
cli_team_rests = 团队在等待任务或等待人来发言；工作进程只会把已经开始的对话进行完
cli_other_build = 不同版本得出的数据可能不一样
cli_budget_calls = 调用：已用 { $spent }，已分给各世界 { $granted }，上限 { $limit }
cli_budget_tokens = token 数：已用 { $spent }，已分给各世界 { $granted }，上限 { $limit }
cli_budget_cost = 费用：已用 { $spent }，已分给各世界 { $granted }，上限 { $limit }
cli_serve_workers = 正在运行的工作进程：{ $count }
cli_serve_worlds = 世界（{ $phase }）：{ $count }
cli_serve_calls = 调用：{ $count }
cli_serve_tokens = token 数：{ $count }
cli_serve_cost = 费用：{ $cost }
cli_serve_at_once = 同时进行的调用：{ $count }
cli_budget_of = 模型 { $model }：
cli_budget_a_minute = 每分钟 token 数：上限 { $limit }
cli_budget_at_once = 同时进行的调用：已分给各世界 { $granted }，上限 { $limit }

## 参考
cli_about = 含义
cli_member = 成员
cli_member_example = 例如：{ $example }
cli_range = 范围
