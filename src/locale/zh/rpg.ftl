# Texts of `src/rpg/`. Keys begin with `rpg_`.

rpg_seat_act = 这一仗里你怎么做？
rpg_seat_announce = 向所有人宣告
rpg_seat_attack = 攻击
rpg_seat_flee = 逃走
rpg_seat_guard = 防护
rpg_seat_heal = 治疗
rpg_seat_hold = 不动手
rpg_seat_item = 哪一样？
rpg_seat_look_of_card = 它的样子
rpg_seat_move = 去别处
rpg_seat_name_of_card = 卡牌的名字
rpg_seat_order_of_cards = 出哪几张牌，按什么顺序？你有 { $energy } 点气力。（数字；回车：全部，照列表）
rpg_seat_play = 出牌
rpg_seat_query = 回想
rpg_seat_say = 先说什么？（回车：不说）
rpg_seat_seen = 旁人看见你怎么做？
rpg_seat_show = 拿出一样东西
rpg_seat_skill = { $skill }（{ $kind }，威力 { $power }，消耗 { $cost }）{ $about }
rpg_seat_speak = 对人说话
rpg_seat_strengthen = 强化
rpg_seat_targets = { $skill }：对谁？没有列出的人不会成为目标。（数字，最想要的在前；回车：全部，照列表）
rpg_seat_wait = 等待
rpg_seat_weaken = 削弱
rpg_seat_whisper = 对人耳语
rpg_seat_yield = 认输
