# Texts of `src/mind/`. Keys begin with `mind_`.

mind_grammar_alternative_form = 选项应写成 "文字" 或 (权重, "文字")
mind_grammar_circle = { $path } 没有尽头；请打破这个循环
mind_grammar_defined_twice = “{ $symbol }”已在 { $place }:{ $line } 定义过
mind_grammar_facts = 声明了 { $count } 个事实；最多只能有 { $most } 个
mind_grammar_given_unknown = “{ $symbol }”声明时用到的事实“{ $fact }”没有声明过
# same
mind_grammar_in_symbol = “{ $symbol }”：{ $mistake }
# same
mind_grammar_lines = { $above }
    { $below }
mind_grammar_lone_mark = “{ $mark }”没有配对；请写 {"{"}fact{"}"} 或 <symbol>
# same
mind_grammar_mistake_at = { $file }:{ $line }: { $mistake }
# same
mind_grammar_mistake_in = { $file }: { $mistake }
mind_grammar_never_said = “{ $symbol }”有一个选项既需要又禁止同一个事实
mind_grammar_no_alternatives = “{ $symbol }”没有选项；请添加一个
mind_grammar_speechless = “{ $symbol }”需要一个随时都能用的选项，只能用到这些事实：{ $given }
mind_grammar_symbol_is_text = 符号的名字要写在引号里
mind_grammar_symbol_missing = 缺少符号“{ $symbol }”
mind_grammar_unknown_change = 未知的“|{ $change }”；可用的有：|cap、|low、|a
mind_grammar_unknown_fact = 未知的事实 {"{"}{ $fact }{"}"}；可用的有：{ $known }
mind_grammar_unknown_symbol = 未知的符号 <{ $symbol }>；请定义它，或改正名字
mind_grammar_unused = “{ $symbol }”从未用到；请用上它，或删掉它
mind_grammar_zero_weight = 权重为 0 的选项永远不会选中；请删掉这一行
mind_seat_more = 还要添加{ $label }吗？
mind_seat_no = 否
mind_seat_no_json = 这不是 JSON：{ $error }
mind_seat_no_such_option = 请输入 1 到 { $count } 的数字，或列表中的名字。
mind_seat_not_empty = 请输入一行文字；按 Ctrl-D 离开。
mind_seat_number = 请输入数字（{ $least } 到 { $most }）。
mind_seat_one_number_of = 请输入其中一个数字：{ $numbers }。
mind_seat_reason = 为什么？
mind_seat_target = 对谁？
mind_seat_thought = 你在想什么？
mind_seat_to = 去哪里？
mind_seat_type_json = 请在一行内输入 JSON，须符合下面的结构：
mind_seat_what_to_do = 你要做什么？
mind_seat_with_default = { $label }［回车：{ $default }］
mind_seat_words = 说什么？
mind_seat_yes = 是
mind_seat_your_turn = *** 你是{ $entity }。***
