# `crates/groupchat/src/` 的文字。键以 `groupchat_` 开头。

## `ChatError` 的错误

groupchat_cancelled = 运行已取消
groupchat_changed_participants = { $names } 的设置
groupchat_changed_settings = 团队的设置
groupchat_component_no_team = 这个组件是 { $kind }，不是团队
groupchat_component_none = 这不是组件：没有 provider 和 config
groupchat_component_too_deep = 其中的团队或条件嵌套超过 { $max } 层
groupchat_empty_task = 任务至少要有一条消息；要在没有新任务的情况下继续，请运行 `Task::continue_run()`
groupchat_help_fewer_edges = 请删去一些边
groupchat_no_agent_states = 缺少“agent_states”
groupchat_nobody_plays = 这个团队没有人扮演
groupchat_other_participants = 该状态的参与者不同：{ $differences }；请载入到名称相同的团队，或开始新的对话
groupchat_not_a_state = 这不是已保存的团队状态：{ $reason }
groupchat_run_failed = 运行失败：{ $reason }
groupchat_set_up = 无法组建团队：{ $reason }
groupchat_state_elsewhere = { $names }原先在另一个团队
groupchat_state_lacks = 状态里没有{ $names }
groupchat_team_lacks = 这个团队没有{ $names }
groupchat_stopped = 运行中断：{ $reason }

## 消息里的错误

# same
groupchat_message_members = { $name }：{ $problem }
groupchat_message_no_type = 消息缺少“type”；应为以下之一：{ $known }
groupchat_message_not_an_object = 消息应为 JSON 对象
groupchat_message_type_registered = 消息类型“{ $name }”已经注册；请换一个名字
groupchat_message_unknown_type = 未知的消息类型“{ $name }”；请先注册，或使用以下之一：{ $known }

## 终止条件

groupchat_already_terminated = 终止条件已经满足；再次检查之前请先重置
groupchat_condition_bad_seconds = 秒数不是正数
groupchat_condition_empty_text = 每条消息都包含空文本
groupchat_condition_no_messages = 上限为 0 条消息，谁都无法发言
groupchat_condition_no_parts = 没有可以组合的条件
groupchat_condition_no_sources = 没有指定来源
groupchat_condition_no_time = 没有指定时间
groupchat_condition_no_token_limit = 没有指定上限
groupchat_help_condition = 请至少添加一个条件
groupchat_help_positive_seconds = 请设为大于 0 秒
groupchat_help_sources = 请至少写一个参与者的名字
groupchat_help_text = 请写上要查找的文本
groupchat_help_time = 请设定 turns 或 seconds
groupchat_help_token_limit = 请至少设定 total、prompt、completion 之一

## 团队文件里的错误

groupchat_bad_approver = “{ $name }”不能批准它的代码
groupchat_bad_keyword = 这不是 JSON Schema：{ $keyword } 的值无效
groupchat_bad_tool_name = “{ $name }”不能用作工具的名字
groupchat_control_inside = 只有最外层的团队才能对外开放、由外部停止，或设定以秒计的时限
groupchat_endless_cycle = 环 { $cycle } 没有出路
groupchat_fold_all = 上限为 0 个 token，对话会立刻被折叠
groupchat_group_conflict = 组“{ $group }”通向“{ $name }”的边互相冲突：有的写 All，有的写 Any
groupchat_inner_team_taken = 团队“{ $name }”已经属于另一个参与者
groupchat_internal_tool = “{ $name }”是内部工具
groupchat_large_minimum = { $keyword } 超过 { $max }，没有回答能达到
groupchat_may_never_end = 没有一个条件必定满足，运行可能永远不会结束
groupchat_mixed_edges = 从“{ $name }”出发的边混在一起：有的有条件，有的没有
groupchat_name_taken = 名字“{ $name }”已在 { $path } 使用
groupchat_no_approver = 这个团队里没有人能批准它的代码
groupchat_no_attempts = 尝试次数为 0，永远选不出人
groupchat_no_exit = 图没有出口：后面总有人发言
groupchat_no_max_tokens = 上限为 0 个 token，无法回答
groupchat_no_output_name = 输出类型没有名字
groupchat_no_participants = 没有参与者
groupchat_no_stalls = 允许停滞 0 次，团队会不停地重新计划
groupchat_no_start = 没有人能开始：人人都在等别人
groupchat_no_tool_description = 这个工具没有说明
groupchat_no_tool_rounds = 工具轮数为 0，永远无法调用工具
groupchat_no_turns = 上限为 0 轮，谁都无法发言
groupchat_nobody_may_speak = 按照 transitions，谁都不能发言
groupchat_nobody_to_choose = 没有可选的人
groupchat_not_a_schema = 这不是 JSON Schema
groupchat_not_an_identifier = “{ $name }”不是标识符，而这个团队要求名字是标识符
groupchat_output_conflict = 带有输出类型的回答不能包含其他消息，也不能移交
groupchat_people_in_tool = 作为工具的团队里不能有真人
groupchat_repeats_twice = transitions 和 `repeats` 都规定了谁可以连续发言两次
groupchat_swarm_without_handoff = Swarm 的第一个参与者没有移交对象
groupchat_team_in_swarm = 团队不能移交，所以不能参加 Swarm
groupchat_too_many_edges = 边超过 { $max } 条
groupchat_too_many_participants = 连同内部团队和作为工具的团队，共有 { $count } 个参与者；最多 { $max } 个
groupchat_too_many_teams = 连同内部团队和作为工具的团队，共有 { $count } 个团队；最多 { $max } 个
groupchat_tool_name_taken = 已经有工具“{ $name }”
groupchat_tools_need_assistant = 只有 Assistant 类的参与者能调用工具
groupchat_unknown_inner_team = 这个团队里没有内部团队“{ $name }”
groupchat_unknown_participant = 没有参与者“{ $name }”
groupchat_unknown_picker = 没有“{ $name }”来选择下一个发言者
groupchat_unknown_source = 这里没有叫“{ $name }”的人发言
groupchat_unknown_target = 没有可以移交的“{ $name }”
groupchat_unreachable = 没有边通向“{ $name }”，它永远不会发言
groupchat_unsupported_keyword = 不支持 JSON Schema 的关键字 { $keyword }
groupchat_unused_team = 没有参与者使用团队“{ $name }”
groupchat_unused_tool = 没有参与者使用工具“{ $name }”
groupchat_user_name_taken = “{ $name }”已经是参与者或团队的名字

## 团队文件里的错误怎么改

groupchat_help_activation = 同一组的边请用同一种 activation
groupchat_help_approver = 请把 `approver` 设为本团队的 Assistant 或 Person；最外层的团队也可以设为用户
groupchat_help_at_least_one = 请设为 1 或更大
groupchat_help_condition_for_all = 要么都写条件，要么都不写
groupchat_help_condition_on_cycle = 请给其中一条边加上条件
groupchat_help_describe_tool = 请在 `about` 或团队的 `title` 里说明
groupchat_help_edge_text = 请写上要查找的文本，或使用 Always
groupchat_help_edge_to = 请加一条通向它的边，或把它去掉
groupchat_help_entry = 请设定入口，或留一个没有入边的参与者
groupchat_help_exit = 请至少留一个没有出边的参与者
groupchat_help_fewer_participants = 请删去一些参与者
groupchat_help_fewer_teams = 请删去一些团队
groupchat_help_handoff = 请至少添加一个移交对象
groupchat_help_identifier = 请只用文字、数字和“_”，且不以数字开头；或去掉 `naming: identifiers`
groupchat_help_inner_team = 请在 `teams` 里添加一个同名的团队
groupchat_help_large_minimum = 请改用较小的数
groupchat_help_limit = 请设定 max_turns，或添加 MaxMessages(max: 20) 之类的条件
groupchat_help_make_assistant = 请去掉工具，或改为 Assistant
groupchat_help_move_out = 请移到最外层的团队
groupchat_help_name = 请用“艾娃”这样的名字
groupchat_help_name_tool = 请换一个工具
groupchat_help_no_coders = 或换一个没有 Coder 的团队
groupchat_help_no_people = 请去掉 Person 类的参与者和 Manual 选择方式
groupchat_help_unsupported_keyword = 请使用不含它的 schema
groupchat_help_one_of = 应为以下之一：{ $names }
groupchat_help_other_speaker = 请用 Society 类的参与者，或换一种选择方式
groupchat_help_output = 请去掉 `output`，或者去掉 `produces` 和不用工具的移交
groupchat_help_output_name = 请用 Report 这样的名字
groupchat_help_own_name = 请给每个参与者和团队起一个不重复的名字
groupchat_help_own_team = 请给每个参与者单独的团队
groupchat_help_own_tool_name = 请给每个工具起一个不重复的名字
groupchat_help_participant = 请至少添加一个参与者
groupchat_help_picker = 请写用户，或 Person 类参与者的名字
groupchat_help_repeats = 请去掉 `repeats`；允许某个参与者后接自己，就是允许重复
groupchat_help_schema = 请用 JSON 文本写一个对象的 schema
groupchat_help_tool_name = 请用 1 到 64 个 ASCII 字母、数字、_ 和 -
groupchat_help_transitions = 请至少允许一个人在用户之后发言，一个人在某个参与者之后发言
groupchat_help_two_participants = 请至少添加两个参与者
groupchat_help_use_team = 请添加一个 Team 或 Society 类的参与者
groupchat_help_use_tool = 请把它的名字写进某个参与者的 `tools`
groupchat_help_user_name = 请用“用户”这样的名字
groupchat_help_user_own_name = 请给用户起一个不重复的名字，或用 Person 类参与者的名字
groupchat_help_without_tool = 或去掉这个工具

## 运行为何结束，用团队的语言

groupchat_stop_answered = { $source }已经回答
groupchat_stop_done = 任务完成
groupchat_stop_external = 已由外部停止
groupchat_stop_function = 条件“{ $name }”已满足
groupchat_stop_function_call = 函数“{ $name }”已执行
groupchat_stop_function_chose_nobody = 函数没有选出发言者
groupchat_stop_graph_complete = 图已走完
groupchat_stop_graph_incomplete = 图没有走完；仍在等待：{ $names }
groupchat_stop_handoff = { $source }移交给了{ $target }
groupchat_stop_handoff_to_user = 已移交给{ $name }
groupchat_stop_max_messages = 消息数已达上限 { $max }，当前消息数：{ $count }
groupchat_stop_max_turns = 轮数已达上限 { $max }
groupchat_stop_mention = 提到了“{ $text }”
groupchat_stop_message = 收到了停止消息
groupchat_stop_no_progress = 重新计划 { $plans } 次后，仍有 { $rounds } 轮没有进展
groupchat_stop_nobody_after = { $name }之后没有人可以发言
groupchat_stop_seconds = { $seconds } 秒的时限已到
groupchat_stop_selector = 选择者连续 { $count } 次没有选出人
groupchat_stop_text_message = { $source }发来了文本消息
groupchat_stop_tokens = token 已达上限：共 { $total }，提示词 { $prompt }，回答 { $completion }
groupchat_stop_turns = { $turns } 轮的时限已到

## 运行为何失败，用团队的语言

groupchat_fail_analysis = 无法分析任务：{ $error }
groupchat_fail_answer = { $name }无法回答：{ $error }
groupchat_fail_empty_answer = 回答为空
groupchat_fail_max_tool_iterations = 已达到最大工具迭代次数 { $max }，但仍在调用工具，没有作答
groupchat_fail_no_candidates = 没有可以发言的候选人
groupchat_fail_nobody = 没有人可以发言
groupchat_fail_progress = 无法判断进展：{ $error }
groupchat_fail_task_target = 任务移交给了“{ $name }”，但没有这个参与者
groupchat_fail_unknown_function = 团队使用函数“{ $name }”，但没有提供这个函数
groupchat_fail_unknown_speaker = 选中的“{ $name }”不是参与者；应为以下之一：{ $names }

## 程序在对话里说的话，用团队的语言

groupchat_conclusion = 任务完成。
groupchat_earlier_talk = 之前的对话
groupchat_no_approval = 没有人在场可以批准
groupchat_no_response = 没有回应。

## 防护为何改动消息

