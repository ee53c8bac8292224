# `src/world_data/` 的文字。键以 `world_data_` 开头。

world_data_add_comma = 请在前一项后面加上 `,`，或闭合它的引号
world_data_add_field = 请加上 `{ $field }: …`
world_data_add_pairs = 请写成对的词：[(one: (word: "…"), other: (word: "…"))]
world_data_available_variables = 可用的变量：{ $names }
world_data_bracket_closed = 最外层的括号已经闭合；是不是多了一个 `)`？
world_data_choose_folder = { $path } 不是文件夹；请指定含有 worlds/ 或 prompts/ 的文件夹
world_data_close_all = 请把引号、注释和括号都闭合
world_data_close_bracket = 请闭合最后打开的括号，或补全其中的内容
world_data_create_template = 请创建 { $file }
world_data_did_you_mean = 是不是 `{ $name }`？
world_data_different_words = 请用两个不同的词
world_data_duplicate_field = 字段 `{ $field }` 重复
world_data_empty_text = 有一段文字是空的
world_data_escapes = 反斜杠后面只能是 \n \t \r \\ \" \0 \x.. \u{"{"}..{"}"}；在 r#"…"# 中反斜杠没有特殊含义
world_data_expected_colon = 这里缺少 `:`
world_data_expected_one_of = 可以是：{ $names }
world_data_fill_or_remove = 请填写或删掉它
world_data_keep_one = 请只保留一个
# same
world_data_in_field = { $field }：{ $problem }
# same
world_data_in_file = { $file }：{ $problem }
# same
world_data_lines = { $first }
    { $rest }
world_data_many_items = 一个列表里的值超过 { $max } 个
world_data_many_values = 值超过 { $max } 个
world_data_missing = 不存在
world_data_missing_comma = 这之前缺少逗号
world_data_missing_field = 缺少字段 `{ $field }`
world_data_missing_template = 缺少模板 { $name }
world_data_missing_word = 缺少词语
world_data_more_problems = 另有 { $count } 个问题
world_data_no_variables = 这个提示词没有变量
world_data_no_word_pairs = 一对词也没有
world_data_not_finite = 不是有限的数
world_data_not_utf8 = 不是 UTF-8 文本；请存为 UTF-8
world_data_outside = 在数据文件夹之外；请使用其中的路径，不要用 `..`
world_data_problem_error = { $place }: 错误：{ $problem }
world_data_problem_warning = { $place }: 警告：{ $problem }
world_data_quote_text = 请写成带引号的文字："…"，长文用 r#"…"#
world_data_remove_it = 请删掉它
world_data_same_words = 两个词都是“{ $word }”
world_data_shorten = 请减少内容，或拆成几个文件
world_data_template = 模板有错误：{ $details }
world_data_template_deep = 块嵌套太深
world_data_template_list = 循环只能遍历变量，不能遍历写在这里的列表
world_data_template_number = 数字最多 { $max } 位
world_data_template_operators = 一个标签里的运算符超过 { $max } 个
world_data_template_output = 填充后超过 { $max } 字节
world_data_template_steps = 填充需要超过 { $max } 步
world_data_template_symbol = 模板不支持 `{ $symbol }`
world_data_template_tag = 未知的标签 `{ $tag }`；模板支持 if、for 和 include
world_data_too_deep = 括号嵌套太深
world_data_too_large = 超过 { $max } 字节
world_data_unexpected = `{ $found }` 不应出现在这里
world_data_unexpected_here = 这里的内容不对
world_data_unexpected_end = 文件意外结束
world_data_unexpected_end_close = 文件意外结束：请把引号、注释和括号都闭合
world_data_unknown_field = 未知的字段 `{ $field }`
world_data_unknown_value = 未知的值 `{ $value }`
world_data_unknown_variable = 未知的变量 `{ $variable }`
world_data_unreadable = 无法读取：{ $source }
world_data_unused_template = 没有提示词用到这个模板
# same
world_data_with_help = { $message }；{ $help }
world_data_write_boolean = 请写 true 或 false
world_data_write_field = 请写成字段：名字: 值
world_data_write_fields = 请把字段写在圆括号里：( 名字: 值, … )
world_data_write_finite = 请写有限的数
world_data_write_integer = 请写整数
world_data_write_integer_without_point = 请写整数，不带小数点
world_data_write_list = 请写成列表：[ … , … ]
world_data_write_smaller_number = 请写小一些的数
world_data_write_word = 请写上词语
world_data_write_without_quotes = 请去掉词语的引号
