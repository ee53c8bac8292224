# `src/mind/` 的文字。键以 `mind_` 开头。

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
mind_makes_vectors = 它只计算文字的向量，不会回答；请用 --embeddings 选用
mind_seat_more = 还要添加{ $label }吗？
mind_seat_no = 否
mind_seat_no_json = 这不是 JSON：{ $error }
mind_seat_no_such_option = 请输入 1 到 { $count } 的数字，或列表中的名字。
mind_seat_not_empty = 请输入一行文字；按 Ctrl-D 离开。
# same
mind_seat_nth = { $label } { $number }
mind_seat_number = 请输入数字（{ $least } 到 { $most }）。
mind_seat_one_number_of = 请输入其中一个数字：{ $numbers }。
mind_seat_option_or_words = 请输入 1 到 { $count } 的数字、列表中的名字，或者直接输入要说的一句话。
mind_seat_reason = 为什么？
mind_seat_target = 对谁？
mind_seat_thought = 你在想什么？
mind_seat_to = 去哪里？
# same
mind_seat_together = { $members }
mind_seat_type_json = 请在一行内输入 JSON，须符合下面的结构：
mind_seat_what_to_do = 你要做什么？
mind_seat_with_default = { $label }［回车：{ $default }］
mind_seat_words = 说什么？
mind_seat_yes = 是
mind_seat_your_turn = *** 你是{ $entity }。***
mind_answer_broke_off = 响应中断：{ $reason }
mind_answer_empty = 回答为空
mind_answer_too_large = 回答超过 { $limit } 字节，已停止读取
mind_bad_base_url = 来自 { $source } 的 base URL 无法使用：{ $error }
mind_busy = { $server } 过载或限制了请求频率（{ $status }）：{ $reason }；如果经常如此，请在模型文件中调小 `width`
mind_cancelled = 调用已取消
mind_check_base_url = 请更正模型文件中的 `base_url`
mind_check_base_url_and_model = 请更正模型文件中的 `base_url` 或 `model`
mind_check_key = 用 `playhouse config` 查看密钥对应的环境变量，用 `playhouse doctor` 测试密钥
mind_check_settings = 请更正模型文件中该模型的设置；`playhouse doctor` 可以测试
mind_denied = { $server } 拒绝访问（{ $status }）：{ $reason }；{ $advice }
mind_dns_failed = 无法解析主机名：{ $reason }
mind_empty = { $server } 的回答是空的
mind_file_at_least_one = 不能小于 1
mind_file_base_url = “{ $base_url }”无法使用：{ $error }
mind_file_key_env = 缺少；必需的密钥须来自环境变量
mind_file_own_member = “{ $name }”由引擎设置
mind_file_price = 不能为负数
# same
mind_file_problem = { $path }：{ $problem }
mind_file_provider = 未知的服务商“{ $name }”；可选值：{ $known }
mind_file_seconds = 必须大于 0 秒
mind_file_server_name = 服务器名只能包含 ASCII 字母、数字、“_”和“-”
mind_file_temperature = 必须在 0 到 2 之间
mind_file_variable = 应为大写的环境变量名；请勿将密钥写入此文件
mind_file_window = 必须大于 max_output，因为它包含提示词和回答
mind_file_wording = 每种语言的文本都必须包含 {"{"}schema{"}"}
mind_html_instead_of_json = 收到{ $page }而不是 JSON；base URL 是 API 的地址吗？
mind_html_page = 一个 HTML 页面
mind_html_page_titled = 一个 HTML 页面（{ $title }）
mind_invalid_key = 密钥含有无法发送的字符
mind_invalid_response = { $server } 没有返回可用的回答：{ $reason }
# same
mind_lines =
    { $first }
    { $next }
mind_missing_key = 模型“{ $alias }”需要密钥；请设置环境变量 { $variable }
# same
mind_model_file_problem = { $file }：{ $problem }
# same
mind_model_file_syntax = { $file }:{ $line }:{ $column }: { $reason }
mind_moderated = { $server } 因内容规则拒绝了请求（{ $status }）：{ $reason }
mind_name_certificate = { $reason }；如果你信任这台服务器，请在模型文件中把它的证书或其颁发机构的证书文件写为该服务商的 `ca`
mind_no_certificate = { $file } 中没有可用的证书；`ca` 应指向 PEM 格式的文件（-----BEGIN CERTIFICATE-----）
mind_no_connection = { $seconds } 秒内未能连接到 { $server }
mind_no_first_byte = { $server } 在 { $seconds } 秒内没有任何响应；如果服务器较慢，请调高模型文件中 `timeouts` 的 `first_byte`
mind_no_money = 账户余额或配额不足
mind_no_next_bytes = { $server } 的响应中途停顿超过 { $seconds } 秒
mind_no_reason = 未说明原因
mind_no_tls = { $reason }；服务器似乎不使用 TLS：请把 `base_url` 中的 https:// 改为 http://
mind_no_tool_servers = 世界用到了服务器“{ $server }”的工具，而 { $file } 没有定义它；请在其中的 `servers` 下定义
mind_not_a_json_object = 不是 JSON 对象：{ $value }
mind_not_json = 不是 JSON：{ $error }
mind_not_recorded = 日志中没有“{ $entity }”第 { $number } 次提问的结果
mind_nothing_to_send = 对话和提问都没有内容，任何服务商都会拒绝；请给出任务、系统消息或问题
mind_probe_attempts = 尝试了 { $attempts } 次才成功。
mind_probe_no_usage = 没有返回用量；token 数和费用将是估计值。
mind_probe_not_streamed = 请求了流式输出，但回答是一次性返回的。
mind_probe_schema_ignored = 回答不符合 JSON Schema；今后的回答可能需要重试。
mind_probe_smaller_window = 模型文件设置的上下文窗口是 { $configured } 个 token，而服务器只有 { $listed } 个。
mind_probe_vectors = 它的向量有 { $width } 个数
mind_prompt_too_long = { $server } 认为提示词过长（{ $status }）：{ $reason }；{ $advice }
mind_redirected = 请求被重定向到 { $location }；那才是 base URL 吗？
mind_rejected = { $server } 拒绝了请求（{ $status }）：{ $reason }；{ $advice }
mind_script_exhausted = 脚本中没有“{ $entity }”的回答（第 { $number } 次提问）
mind_seat_empty = “{ $entity }”的座位上没有人
mind_server_failed = { $server } 出错（{ $status }）：{ $reason }
mind_set_limit_field = 在模型文件中设置 `limit_field: max_completion_tokens`
mind_set_merge_turns = 在模型文件中为该模型设置 `merge_turns: true`
mind_set_stream = 在模型文件中设置 `stream: false`
mind_set_stream_usage = 在模型文件中设置 `stream_usage: false`
mind_set_window = 请在模型文件中设置该模型的 `window`，以便及时折叠旧消息
mind_set_window_to = 请在模型文件中将该模型的 `window` 设为 { $window }，以便及时折叠旧消息
mind_setting_from_name = 模型名
mind_stream_broke_off = 数据流中断
mind_through_proxy = { $reason }；请求经过 { $variable } 中的代理：请检查它是否在运行
mind_too_slow = { $server } 在 { $seconds } 秒内发送的内容太少；如果服务器较慢，请调低模型文件中 `timeouts` 的 `min_rate`
mind_took_too_long = { $server } 没有在 { $seconds } 秒内完成；如果模型较慢，请调高模型文件中 `timeouts` 的 `whole`
mind_trust_calls = { $path } 调用 { $url } 的工具
mind_trust_calls_key = { $path } 调用 { $url } 的工具，并附上 { $variable } 中的密钥
mind_trust_extra = { $path } 在请求中加入：{ $members }
mind_trust_key = { $path } 把 { $variable } 的内容作为密钥发送
mind_trust_price = { $path } 自行规定价格，而费用上限以它为准
mind_trust_private = 网页工具可以访问这些内网主机：{ $hosts }
mind_trust_reads = { $path } 读取环境变量 { $variable }
mind_trust_replaces = 文件替换了模型“{ $alias }”
mind_trust_runs = { $path } 运行 { $command }
mind_trust_runs_with = { $path } 运行 { $command }，它能看到 { $variables }
mind_trust_sends = { $path } 把提示词发送到 { $url }
mind_trust_sends_key = { $path } 把提示词发送到 { $url }，并附上 { $variable } 中的密钥
mind_trust_web = 网页工具可以访问这些主机：{ $hosts }
mind_unknown_model = 没有名为“{ $alias }”的模型；相近的有：{ $nearest }。请使用 { $file } 中的别名、“服务商/模型”，或 OPENAI_BASE_URL 所指服务器的任意模型
mind_unknown_tool_server = 世界用到了服务器“{ $server }”的工具，而 { $file } 没有定义它；请在其中的 `servers` 下定义（现有：{ $known }）
mind_unreachable = 无法连接 { $server }：{ $reason }
mind_unsendable = 没有替“{ $entity }”向“{ $alias }”发送任何内容：{ $reason }
mind_unusable_model = 模型“{ $alias }”无法使用：{ $reason }
mind_url_not_http = 必须以 http:// 或 https:// 开头，并包含主机名
mind_vectors_count = 回答有 { $found } 个向量，与 { $expected } 段文字不是一一对应
mind_vectors_too_slow = { $server } 在 { $seconds } 秒内没有算出向量；服务器较慢时，请在模型文件的 `embeddings` 里调大 `timeout`
