# Texts of `src/undercover/`. Keys begin with `undercover_`.

undercover_seat_blank = 白板
undercover_seat_civilian = 平民
undercover_seat_i_am = 你认为自己是什么？
undercover_seat_is = 是什么？
undercover_seat_player = 谁？（编号）
undercover_seat_players = 你对他人的判断
undercover_seat_undercover = 卧底
undercover_seat_unsure = 不确定
undercover_seat_vote_number = 投谁出局？（编号）
