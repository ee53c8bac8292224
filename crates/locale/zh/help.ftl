# `--help` 的文字。键以 `help_` 开头；拼接方式见 `src/cli/help.rs`。

## 页面

help_arguments = 参数：
help_commands = 命令：
help_common_options = 通用选项：
help_default = （默认：{ $value }）
help_end =
    退出码：0 成功，1 其他错误，2 用法错误，3 世界或数据有误，4 存档有误，5 模型或服务器出错，6 达到上限，7 彩排没有达到预期，130 被 Ctrl-C、SIGTERM 或终端关闭中断。

    上限（--max-calls、--max-tokens、--max-cost）在每次调用前按最坏情况检查；因上限停下的运行可以继续。存档会记住所用的模型、座位和给定的上限；`resume` 沿用它们，除非另有指定。设置依次取自：选项、环境变量、工作目录中的 playhouse.ron、你自己的 playhouse.ron、默认值；`playhouse config` 显示各项设置的来源。支持 NO_COLOR；RUST_LOG 用于过滤日志。
help_options = 选项：
help_usage = 用法：
help_usage_options = [选项]

## 值

help_value_actor = 角色
help_value_address = 地址
# same
help_value_api = API
help_value_columns = 列数
help_value_command = 命令
help_value_condition = 条件
help_value_dir = 文件夹
help_value_doctor_name = 名字|URL
help_value_entity = 名字
help_value_event = 事件
help_value_fact = 事实
help_value_file = 文件
help_value_form = 格式
help_value_hash = 哈希
help_value_id = 编号
help_value_model = 模型
# same
help_value_n = N
help_value_name = 名字
help_value_new = 新存档
help_value_other = 另一个存档
help_value_player_model = 名字=模型
help_value_port = 端口
help_value_scene = 场景
help_value_scene_option = 场景=选项
help_value_text_or_file = 文字|文件
help_value_time = 时长
# same
help_value_shell = SHELL
help_value_slot = 存档
help_value_team = 团队
help_value_text = 文字
help_value_turn = 轮次
help_value_variable = 变量
help_value_watch_world = 世界|存档
help_value_which = 名称
help_value_words = 文件|词,词
help_value_world = 世界
help_value_amount = 金额

## 命令

help_about_ask = 询问存档里谁知道什么、从谁那里得知、为什么
help_about_ask_recall = 一个角色对某个问题能想起什么
help_about_ask_what = 一个角色知道些什么，从何时起，从谁那里得知
help_about_ask_who = 谁知道一个事实，从何时起，从谁那里得知
help_about_ask_why = 谁收到了一个事件，依据哪条规则，其他人又为何没有收到
help_about_branch = 从存档中较早的一处继续，存为新存档
help_about_chat = 让一个团队完成任务，或列出团队
help_about_check = 找出一个世界或团队的所有错误
help_about_completions = 输出 shell 的补全脚本
help_about_config = 显示所有设置及其来源；不显示密钥
help_about_convert = 在各框架的格式之间转换对话
help_about_data = 把内置数据写入文件夹
help_about_data_export = 把内置数据写入文件夹，供修改后用 --data 使用
help_about_manual = 把 `man` 手册页写入文件夹
help_about_doctor = 用一次低成本请求测试每个模型，并测试每个工具服务器；或者检测某个 URL 上的服务器能做什么，并给出模型文件的条目
help_about_experiment = 在几个条件下运行故事，并检验差异
help_about_experiment_report = 报告已经结束的故事
help_about_experiment_resume = 继续实验
help_about_experiment_run = 开始实验
help_about_export = 把存档导出为单个 HTML 文件，或把存档、一批或实验的故事导出为表格
help_about_help = 显示帮助
help_about_new = 创建一个小世界，作为起点
help_about_playhouse = 由大语言模型扮演角色的故事引擎，没有图形界面。不指定命令时，运行一个世界。
help_about_rehearse = 彩排：让即兴生成器多次运行一个世界，统计各种情况出现的频率
help_about_replay = 按日志重放存档，并检查结果是否一致
help_about_resume = 继续一个存档
help_about_run = 运行一个世界
help_about_saves = 列出、检查或修复存档
help_about_show = 显示存档：其中的角色，以及他们记得什么；用 --view 可看调用、费用、事件等
help_about_suggest = 让模型为一个世界再提出一个部分，以补丁的形式给出
help_about_trust = 查看、授予或撤销对文件夹中会运行程序或发送密钥的文件的信任
help_about_undercover = 玩“谁是卧底”，一局或一场赛事
help_about_watch = 运行一个世界或打开一个存档，并在浏览器里展示；用 --all 则展示所有存档
help_about_worlds = 列出世界

## 各命令通用的选项

help_any_after_limit = 超时以后：improviser（由即兴生成器代演，直到此人重新入座）或 wait（继续等待）
help_any_allow_code = 允许团队里运行代码的成员启动 python 和 sh，每次都要先经批准
help_any_color = 何时使用颜色：auto（在终端上，除非设置了 NO_COLOR）、always（总是）、never（从不）
help_any_data = 含 worlds/、prompts/ 和 models.ron 的文件夹（默认：./data，没有则用内置数据）
help_any_dry_run = 显示接下来的提示词及其 token 数和价格，不实际发送，也不需要密钥
help_any_embeddings = 回忆时也按意思检索，向量由这个模型计算；其服务器须支持 /v1/embeddings（off：只按字词）
help_any_force = 在已有的存档里从头开始；原有故事会丢失。含有多个故事时，须经你确认才会删除
help_any_form = 怎样显示对话：rule（每条消息上方有横线）、log（每条消息前有时间和发送者）
help_any_games = 运行这么多个故事，种子依次加一，各自存档，并给出统计；可用 `resume` 继续。不连接工具服务器
help_any_help = 显示帮助
help_any_ids = 显示每个事件的编号，可用于 `playhouse ask 存档 why`
help_any_invite = 让别人通过专用地址在浏览器里扮演这个角色；可以多次使用
help_any_jobs = 一批中同时进行的故事数（默认：每个核心一个）
help_any_json = 每行输出一条 JSON 记录，而不是文字
help_any_lang = 界面语言：en、zh（默认：按系统区域）
help_any_listen = 监听的地址；本机以外的地址需要令牌，令牌会显示出来
help_any_log_format = 日志格式：text（文字）、json
help_any_max_calls = 调用次数上限
help_any_max_cost = 费用上限，货币与模型价格相同
help_any_max_defaults = 没有得到可用回答、只好采用默认回答的提问超过这个数时停止（默认：同一模型连续 5 次，或最近 30 次中有 10 次；可在模型文件中另行设定）
help_any_max_tokens = token 数上限，提示词与回答合计
help_any_model = 由哪个模型回答：模型文件中的名称、服务商/模型，或 improviser（内置的即兴生成器，不需要密钥）
help_any_models = 用这个模型文件代替你自己的和数据文件夹中的模型文件
help_any_no_undo = 浏览器里的人不能撤销上一次回答
help_any_on_server_error = 模型无法回答，或服务器迟迟不恢复时怎么办：stop（停止，存档可以继续）、fall-back（使用默认回答，继续运行）
help_any_pace = 按阅读速度讲述故事，单位为每分钟词数（不写则为 240）；一个汉字算三分之二个词。按键：空格往下，+ 和 - 调快慢，p 暂停，q 停下
help_any_port = 监听的端口（默认：任意空闲端口）
help_any_quiet = 只输出错误，不输出故事、进度和表格
help_any_save = 存档名（默认：新建一个）
help_any_saves = 存档文件夹（默认：./saves）
help_any_seat = 亲自扮演这个角色，只能看到它看到的；输入 /帮助 可查看命令
help_any_seed = 随机种子（默认：PLAYHOUSE_SEED，否则随机选取并显示）
help_any_slot = 存档名
help_any_task = 任务
help_any_turn_limit = 浏览器里的人每次行动最多可以用多长时间，如 90s 或 2m（默认：不限）
help_any_until = 到这一轮之后停止
help_any_verbose = 在标准错误输出日志：-v 为每次调用，-vv 为全部；故事中也会显示轮次、查找和裁定
help_any_version = 显示版本
help_any_watch = 同时在浏览器里展示故事
help_any_width = 输出的宽度，20 到 1000 列（默认：终端宽度，最多 100）
help_any_world = 世界的名称（见 `playhouse worlds`），或含 world.ron 的文件夹的路径（默认：当前文件夹的 world.ron，或其中唯一含有它的文件夹，否则为内置世界）

## 个别命令的选项

help_branch_seed = 从这一轮起换一个随机种子，故事会有另一种发展
help_branch_turn = 从哪一轮继续
help_branch_choose = 假如当时在这个场景选了这个选项，从那里继续
help_completions_shell = shell 的种类：bash、elvish、fish、powershell、zsh
help_data_export_dir = 文件夹；以后从中删去的文件仍用内置的
help_data_export_force = 也覆盖内容不同的文件
help_manual_dir = 文件夹，例如 ~/.local/share/man/man1
help_trust_file = 要信任的文件（默认：这个文件夹中的）
help_trust_hash = 如果文件内容的 BLAKE3 哈希是这个值，不再询问，直接信任
help_trust_list = 列出你信任的文件
help_trust_revoke = 不再信任这个文件
help_check_name = 世界的名称（见 `playhouse worlds`）或团队的名称（见 `playhouse chat`），也可以是含 world.ron 的文件夹或团队文件的路径
help_chat_team = 团队名，如 zh/xiezuo-tai，或团队文件的路径；不写则列出团队
help_convert_file = 要读取的文件；不写或写 - 则读标准输入
help_convert_from = 要读取的格式，可选值同 --to（默认：自动识别）
help_convert_name = 这是谁的对话（默认：按文件中写明的）
help_convert_to = 要写成的格式：playhouse、agentscope、agentscope-java1、agentscope-python1、agentscope-python2、langchain、langchain-flat、openai、openai-jsonl、autogen
help_doctor_api = 该 URL 上的服务器的 API：openai、deepseek、anthropic、gemini、dashscope、ollama（默认：自动检测）
help_doctor_ca = PEM 文件：该服务器的证书，或签发它的机构的证书
help_doctor_key_env = 存放该服务器密钥的环境变量
help_doctor_model = 该 URL 上的模型名称；有多个模型时必须指定
help_doctor_name = 只测试这个模型或工具服务器；如果是 URL，就用最多 12 次简短请求检测那里的服务器能做什么
help_doctor_write = 把条目添加到你的模型文件（或 --models 指定的文件）
help_export_calls = 同时包含每次调用发送的内容和回答；文件会很大
help_export_csv = 存放 CSV 文件的文件夹：stories、events、audience、calls、choices、votes、knowledge、people
help_export_html = 要写入的 HTML 文件；打开时不需要本程序，也不需要网络
help_export_parquet = 存放同样表格的 Parquet 文件的文件夹
help_export_seat = 只写入这个角色看到的内容
help_help_subcommand = 要显示帮助的命令
help_new_dir = 要创建的文件夹
help_new_from = 让模型根据这段文字（或这个文件里的笔记、小说、章节）起草世界
help_new_kind = 故事的种类：talk、mystery、journey（默认：在终端上会问，否则为 journey）
help_new_world_lang = 世界的语言：en、zh（默认：与界面相同）
help_rehearse_at = 与 --find 合用：在这个场景开始的那一轮查看
help_rehearse_cost_as = 显示用这个模型运行一次的费用
help_rehearse_ever = 与 --find 合用：每一轮都查看，而不只是在结束时
help_rehearse_find = 显示结束时符合此条件的运行的种子，如 'Knows("人物", "事实")'
help_rehearse_map = 按日子、时段和地点显示场景与人物，以及谁在何时能知道什么
help_rehearse_why = 显示这个场景、选项（场景=选项）或结局为何没有出现：差了什么条件，差了几次
help_rehearse_html = 另外把表格和图写入这个 HTML 文件
help_rehearse_jobs = 同时运行的次数（默认：每个核心一次）
help_rehearse_runs = 运行次数
help_rehearse_world = 世界的名称（见 `playhouse worlds`），或含 world.ron 的文件夹的路径
help_rehearse_seed = 第一次运行的随机种子；以后每次加一（默认：1，便于比较）
help_replay_from = 从这一轮开始显示
help_replay_seat = 只看这个角色当时看到的
help_resume_force = 即使数据有变化或与日志不符也载入存档，后果自负
help_resume_model = 从现在起使用的模型（默认：与之前相同）
help_resume_no_seat = 不再由人扮演角色
help_resume_seat = 从现在起扮演这个角色（默认：与之前相同）
help_resume_seed = 从此处起换一个随机种子，故事会有另一种发展；一批游戏的种子不能更换
help_resume_task = 团队的下一个任务
help_experiment_report_file = 写有条件的文件，如 experiment.ron
help_experiment_report_save = 实验在存档中的名称（默认：与文件同名）
help_experiment_resume_file = 写有条件的文件，如 experiment.ron
help_experiment_resume_save = 实验在存档中的名称（默认：与文件同名）
help_experiment_run_file = 写有条件的文件，如 experiment.ron
help_experiment_run_save = 实验在存档中的名称（默认：与文件同名）
help_rehearse_against = 用同样的种子也排演这个世界，并检验差异
help_saves_verify = 检查所有存档的文件是否损坏，包括一批中的每一局
help_show_entity = 角色或舞台的名字；不写则为全部
help_show_turn = 在这一轮结束时（默认：最后一轮）
help_undercover_blank = 没有词的玩家（白板）人数
help_undercover_from = 不进行游戏，只显示存档、赛事（一批）或存档文件夹的统计
help_undercover_games = 进行一场有这么多局的赛事，并显示统计
help_undercover_hide_roles = 玩家出局时不公开身份
help_undercover_jobs = 同时进行的局数（默认：每个核心一局）
help_undercover_max_rounds = 轮数上限，用尽则卧底获胜（默认：玩家数 + 2）
help_undercover_model_of = 某个玩家的模型；可以多次使用
help_undercover_order = 发言次序：shuffled（每轮重新打乱）、by-number（按编号）
help_undercover_players = 玩家人数；名字来自数据文件夹
help_undercover_reflect = 玩家何时写下自己怀疑谁：off（从不）、round（每轮之后）、line（每次描述之后）
help_undercover_save = 存档或赛事的名称（默认：新建一个）
help_undercover_seed = 随机种子；赛事中每局加一（默认：PLAYHOUSE_SEED，否则随机选取并显示）
help_undercover_ties = 平票怎么办：nobody-out（无人出局）、run-off（平票者之间再投一次，再平则无人出局）、draw（随机一人出局）
help_undercover_watch = 在浏览器里而不是终端里展示游戏，可以在那里邀请他人参加
help_undercover_undercover = 卧底人数
help_undercover_words = 词表文件，或用逗号隔开的两个词（默认：数据文件夹中的词表）
help_about_diff = 显示两个存档从何处分开，或两个提示词之间有何变化
help_diff_other = 另一个存档；用 --calls 时可以是同一个
help_diff_entity = 要比较其记忆或提示词的角色或舞台
help_diff_calls = 比较这个角色两次调用的提示词（用调用的序号）
help_show_call = 显示这个序号的调用所发送的内容（序号见 `--view calls`）
help_show_attempt = 该调用的第几个请求：使用工具或回答被拒时会有多个（默认：最后一个）
help_watch_paused = 以暂停状态开始，在页面上按“继续”才开始第一轮
help_watch_seat = 让别人通过专用地址在浏览器里扮演这个角色；可以多次使用
help_watch_world = 要展示的存档或世界；两者同名时取存档
help_branch_model_of = 让一个角色换用另一个模型；可以多次使用
help_ask_recall_k = 最多给出多少条结果
help_ask_recall_name = 角色的名字
help_ask_recall_question = 要搜索什么
help_ask_what_about = 只看与另一个角色有关的：事实、感受、承诺和记忆
help_ask_what_name = 角色的名字
help_ask_who_fact = 事实的编号或标题，与世界文件中的写法相同
help_ask_why_event = 事件编号，如 3-17（见 `playhouse show 存档 --view events`），或只有该事件才有的文字
help_branch_new = 新存档的名称（默认：旧名加数字）
help_branch_retry = 对没有得到模型回答的提问重新提问
help_branch_slot = 旧存档的名称
help_saves_repair = 把这个损坏的存档恢复到最后一个完好的状态
help_show_chapter = 打开这一章：编号或序号
help_show_original = 显示这一章取代的原始消息
help_show_view = 显示什么：memory（对话的文字；不写名字则列出所有角色和舞台）、json（交换格式的对话）、request（最近一次发送的内容，一字不差）、chapters（往事的各个章节）、calls（所有调用，以及 token、用时和费用）、trace（每次调用的提问，团队则为它看到的内容，以及回答）、ag2（与 AG2 相同：参与者每次发言前已有的消息）、costs（按角色和用途的费用）、events（事件及其编号；写名字则只列出它得知的）、voice（角色说的话随时间偏离设定语气的程度）
help_value_question = 问题
help_watch_all = 展示所有存档
help_suggest_part = 要提出什么：scene（场景）、ending（结局）、voice（声音）、fact（事实）
help_suggest_wish = 你对它的要求
help_suggest_world = 世界的名称（见 `playhouse worlds`），或含 world.ron 的文件夹的路径
help_run_scene = 布置好这个场景并上演：之前的部分由即兴生成器演到场景开始
