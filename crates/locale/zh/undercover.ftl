# `crates/undercover/src/` 的文字。键以 `undercover_` 开头。

undercover_bad_word = “{ $word }”不能作词语：{ $reason }
undercover_equal_words = 词语“{ $first }”和“{ $second }”相同；一对词必须不同
undercover_journal_setup = 无法读取日志中的对局设置：{ $problem }
undercover_name_twice = 名字“{ $name }”用了两次；玩家和牌桌的名字不能重复
undercover_no_card = { $player }没有词卡
undercover_no_description_chars = 描述的字数上限至少是 1
undercover_no_reply_tokens = 回答的 token 上限至少是 1
undercover_no_rounds = 至少要有 1 轮
undercover_no_such_player = 没有名为“{ $name }”的玩家；玩家有：{ $players }
undercover_no_table = “{ $slot }”的这一局没有牌桌
undercover_no_words = 没有词语；请写成“甲,乙”，或指定词表文件
undercover_nobody_undercover = 没有卧底；至少要有一名
undercover_other_game = “{ $slot }”的日志不是“谁是卧底”的对局
undercover_seat_blank = 白板
undercover_seat_civilian = 平民
undercover_seat_i_am = 你认为自己是什么？
undercover_seat_undercover = 卧底
undercover_seat_unsure = 不确定
undercover_seat_vote = 投谁出局？（号码或名字）
undercover_texts_limit = 一个词每种别称和描述最多 { $texts } 条，每条最多 { $max } 个字符
undercover_too_few_names = 玩家有 { $players } 名，名字却只有 { $names } 个；请在 { $file } 中添加名字
undercover_too_few_players = 至少要有 { $least } 名玩家，而现在是 { $players } 名
undercover_too_many = { $players } 名玩家中有 { $undercover } 名卧底、{ $blank } 名白板，只剩 { $civilians } 名平民；平民必须多于卧底：请增加玩家，或减少卧底或白板
undercover_word_empty = 没有文字
undercover_word_limit = 词语只占一行，最多 { $max } 个字符
undercover_word_told = 描述“{ $text }”里含有这个词
