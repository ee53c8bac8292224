# Texts of the story view. Keys begin with `story_`.

## Campaigns

story_advances = 一行人继续前往{ $stage }。
story_and_falls = ，倒下
story_announces = 宣布
story_appears = { $actor }来了。
story_arrives = { $actor }从{ $from }来了。
# same
story_aside = （{ $what }）
story_combat_round = 第 { $round } 回合
story_damage = { $name }：受伤 { $amount }
story_day = 在家第 { $day } 天
story_day_ends = 第 { $day } 天过去了。
story_default_answer = ° 默认回答：模型没有给出可用的回答
story_down = 倒下
story_enters = { $party }启程前往{ $dungeon }。
story_falls = { $actor }倒下了。
story_falls_by = { $actor }被{ $by }击倒了。
story_fight = 战斗
story_fight_drawn = { $stage }一战，不分胜负。
story_fight_lost = { $stage }一战，败。
story_fight_won = { $stage }一战，胜。
story_fled = 已逃走
story_flees = { $actor }逃走了
story_foes_down = 击倒：{ $foes }
story_gains = 获得：{ $gains }
# same
story_guard = ［{ $guard }：{ $reason }］
story_guard_forged_marks = 伪造标记
story_guard_forged_speakers = 冒充发言
story_guard_length_limit = 长度限制
story_guard_secrets = 秘密
story_guarded = { $name }：防御 +{ $amount }（{ $effect }）
story_healed = { $name }：恢复 { $amount }
story_heroes_down = 倒下：{ $heroes }
story_holds = { $actor }没有出手
story_homecoming = 归来
story_journey = 远行：{ $dungeon }
story_leaves = { $actor }前往{ $to }。
story_missed = { $name }：落空
story_nothing_found = 什么也没想起来
story_plays = 打出“{ $card }”
story_refused = { $actor }没能做成（{ $action }）：{ $reason }
story_remembers = ❧ { $actor }会记得
story_returns = 一行人从{ $dungeon }返回。
story_says_to = 对{ $target }说
story_searches = 回想
story_shows = { $actor }拿出{ $item }
story_sides = { $heroes }对阵{ $foes }
# same
story_skill = （{ $skill }）
story_strengthened = { $name }：攻击 +{ $amount }（{ $effect }）
story_thinks = 心想
story_tool_failed = ［{ $who }使用 { $tool }（{ $arguments }）失败：{ $result }］
story_tool_used = ［{ $who }使用 { $tool }（{ $arguments }）：{ $result }］
story_turn = 第 { $turn } 轮
story_wavers = { $actor }动摇了
story_weakened = { $name }：攻击 −{ $amount }（{ $effect }）
story_whispers_to = 对{ $target }耳语

## Undercover

story_abstains = 弃权
story_blank = 白板
story_civilian = 平民
story_civilians_win = 第 { $round } 轮，平民获胜。
story_gets_blank = { $player }拿到的是白板
story_gets_word = { $player }拿到的词是“{ $word }”
story_player = 玩家
story_role = 身份
story_round = 第 { $round } 轮
story_run_off_voter = 投票人（加赛）
story_table = { $table }，在座：{ $players }
story_undercover = 卧底
story_undercover_stay_hidden = 卧底获胜：第 { $round } 轮是最后一轮，卧底仍未被找出。
story_undercover_win = 第 { $round } 轮，卧底获胜。
story_voter = 投票人
story_votes = 得票
story_votes_for = 投给
story_who_fled = 逃走：{ $names }
story_who_yielded = 认输：{ $names }
story_word = 词语
story_yielded = 已认输
story_yields = { $actor }认输了

## What calls are for

story_purpose_archive = 记忆
story_purpose_chat_analyse = 分析
story_purpose_chat_approve = 审批
story_purpose_chat_bell = 控制
story_purpose_chat_conclude = 结论
story_purpose_chat_pick = 选择回答
story_purpose_chat_progress = 检查进展
story_purpose_chat_replan = 重新计划
story_purpose_chat_say = 回复
story_purpose_chat_select = 选择发言人
story_purpose_chat_speak = 发言
story_purpose_chat_task = 任务
story_purpose_combat_act = 战斗中的行动
story_purpose_combat_narrate = 叙述
story_purpose_home_plan = 打算
story_purpose_home_scene = 场景
story_purpose_kickoff = 开场
story_purpose_undercover_belief = 判断
story_purpose_undercover_describe = 描述
story_purpose_undercover_summary = 总结
story_purpose_undercover_vote = 投票
story_purpose_world_announce = 宣布

## Types of events

story_event_announce = 宣布
story_event_appearance = 相貌
story_event_archive = 记忆
story_event_arrive = 到来
story_event_card_held = 没有打出的牌
story_event_card_played = 出牌
story_event_chat_handed = 移交
story_event_chat_inside = 团队内消息
story_event_chat_noted = 记录
story_event_chat_said = 消息
story_event_chat_whispered = 私信
story_event_combat_move = 不出牌的举动
story_event_combat_outcome = 战斗结果
story_event_combat_round = 战斗回合
story_event_combat_start = 开战
story_event_day = 日子
story_event_death = 倒下
story_event_dungeon = 行程
story_event_finale = 归来
story_event_kickoff = 开场
story_event_leave = 离开
story_event_mind = 内心
story_event_narration = 叙述
story_event_query = 回想
story_event_refusal = 未成的行动
story_event_scene = 场景
story_event_speak = 说话
story_event_tidings = 战报
story_event_undercover_deal = 发牌
story_event_undercover_description = 描述
story_event_undercover_end = 终局
story_event_undercover_round = 一轮开始
story_event_undercover_verdict = 结果
story_event_undercover_votes = 投票
story_event_whisper = 耳语
story_event_wound = 伤
story_found_out = （得知：{ $title }）
story_learned = （从{ $from }那里得知：{ $title }）
story_masked = （{ $actor }没能把话说出口。）
story_purpose_epilogue = 尾声
story_purpose_scene_choose = 抉择
