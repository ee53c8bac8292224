# Texts of `src/rpg/`. Keys begin with `rpg_`.

rpg_seat_and_then = 还要做别的吗？
rpg_seat_announce = 向所有人宣告
rpg_seat_attack = 攻击
rpg_seat_guard = 防护
rpg_seat_heal = 治疗
rpg_seat_look_of_card = 它的样子
rpg_seat_move = 去别处
rpg_seat_name_of_card = 卡牌的名字
rpg_seat_nothing = 不做别的
rpg_seat_order_of_cards = 按什么顺序出？（数字；回车：照列表）
rpg_seat_query = 回想
rpg_seat_skill = { $skill }（{ $kind }，威力 { $power }，消耗 { $cost }）{ $about }
rpg_seat_speak = 对人说话
rpg_seat_strengthen = 强化
rpg_seat_targets = { $skill }：对谁？最想要的目标排在前面（数字；回车：照列表）
rpg_seat_wait = 等待
rpg_seat_weaken = 削弱
rpg_seat_what_to_find = 查什么？
rpg_seat_whisper = 对人耳语
