# `crates/engine/src/engine/` 的文字。键以 `engine_` 开头。

engine_ambiguous = 有两个系统访问相同的数据，却没有声明先后；请用 .chain()、.before() 或 .after() 声明：{ $systems }
engine_answers_again = { $mind } 恢复了回答。
engine_awaited = 正在等待 { $mind } 回答（{ $entities }）：{ $reason }。{ $pause } 秒后再试，最多等待 { $patience } 秒。
engine_budget_used_up = 它的预算已用完
engine_entity_gone = 它已经不在了
engine_fault = “{ $place }”，第 { $turn } 轮：{ $fault }
engine_limit_calls = 下一次调用可能使本次运行达到 { $would } 次调用；上限是 { $limit }
engine_limit_cost = 下一次调用可能使本次运行的费用达到 { $would }；上限是 { $limit }
engine_limit_near = 接近上限：{ $what }
engine_limit_tokens = 下一次调用可能使本次运行达到 { $would } 个 token；上限是 { $limit }
engine_meeting = 会合
engine_near_calls = 已用 { $spent } 次调用，上限 { $limit } 次
engine_near_cost = 已花费 { $spent }，上限 { $limit }
engine_near_tokens = 已用 { $spent } 个 token，上限 { $limit } 个
engine_never_rests = “{ $place }”在第 { $turn } 轮走了 { $steps } 步仍在提问；请让舞台停止提问，或提高步数上限
engine_no_vector = 服务器没有返回向量
engine_not_taken = “{ $place }”，第 { $turn } 轮：没有系统取走“{ $entity }”的回答“{ $reply }”；必须有系统在下一步取走 Answers<…>
engine_other_line =
    第 { $line } 行
      记录：{ $recorded }
      现在：{ $now }
engine_other_request =
    第 { $turn } 轮：“{ $entity }”的第 { $number } 次提问（{ $purpose }）与记录不同：
    { $difference }
engine_other_state = 第 { $turn } 轮之后，“{ $place }”的状态与记录不同
engine_other_world_state = 第 { $turn } 轮之后，世界的状态与记录不同
engine_prompts_unread = 发送给 { $mind } 约 { $sent } 个 token，但服务器只读到 { $read } 个：聊天模板丢弃了消息，或者提示被截断。请在服务器上选用与模型配套的聊天模板或更大的上下文，并在模型文件中相应设置 `window`；可用 `playhouse doctor URL` 检查
engine_recall_by_words = 得不到向量，回忆改为只按字词检索：{ $reason }
engine_same_question = 问题相同，但之前的对话或所要求的形式不同
engine_server_awaited = { $reason }（已等待 { $seconds } 秒；无法向这些角色提问：{ $entities }）
engine_server_failed = { $reason }（无法向这些角色提问：{ $entities }）
engine_snapshot = 无法写入快照：{ $reason }
engine_tool_not_run = 这个工具无法运行
engine_unknown_mind = “{ $entity }”指定了模型“{ $alias }”，但本次运行没有这个模型
engine_unknown_server_tool = “{ $entity }”可以调用“{ $tool }”，但没有连接提供它的服务器“{ $server }”；请在模型文件的 `servers` 中定义，或不使用服务器运行
engine_unknown_tool = “{ $entity }”可以调用工具“{ $tool }”，但本次运行没有这个工具；可选：{ $known }；也可以在数据文件夹里写一个 { $table }，把它做成查表工具
engine_useless = 模型“{ $mind }”{ $too_often }没有给出可用的回答；最后一次（{ $entity }）：{ $last }。{ $advice }
engine_useless_help = 通常有用的办法：在模型文件中换一种 `schema`（json_mode 或 text），在 `extra` 中关闭思考，调大 `thought_tokens`，在服务器上换聊天模板，或换一个模型
engine_useless_in_a_row = 连续 { $count } 次
engine_useless_last = 回答{ $wrote }（{ $reason }）
engine_useless_of_last = 在最近 { $of } 次提问中有 { $count } 次
engine_useless_of_run = 在本次运行中有 { $count } 次
engine_useless_refusing = 通常有用的办法：换一个模型，或减少世界中它拒绝书写的内容
engine_wrote = 的开头是：“{ $answer }”
engine_wrote_nothing = 是空的
