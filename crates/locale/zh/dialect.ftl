# `crates/dialect/src/` 的文字。键以 `dialect_` 开头。

dialect_ag2_event = AG2 的事件“{ $kind }”没有内容，已省略
dialect_arguments_completed = “{ $tool }”的参数被截断，已补全结尾
dialect_arguments_discarded = “{ $tool }”的参数已丢弃：{ $error }
dialect_arguments_list = 应为对象，却是列表
dialect_arguments_not_json = 不是 JSON：{ $reason }
dialect_arguments_number = 应为对象，却是数字
dialect_arguments_other_value = 应为对象，却是单个值
dialect_arguments_text = 应为对象，却是文本
dialect_autogen_component = 这是 AutoGen 组件（{ $kind }，“{ $provider }”）的描述，其中没有对话。请为它编写团队文件（docs/group-chat.md）；要转换说过的话，请保存团队的消息或状态
dialect_block_without_type = 有一个内容块没有类型，已原样保留
dialect_expected_content = 应为文本或内容块列表
dialect_expected_message = 应为带有成员的对象
dialect_expected_text = 应为文本
dialect_invalid_json = 不是有效的 JSON：{ $reason }
dialect_invalid_json_line = 第 { $line } 行不是有效的 JSON：{ $reason }
dialect_invalid_message = 按 { $profile } 格式读取：{ $error }
dialect_media_in_words = { $words } 写成了文字：此格式没有存放它的位置
dialect_media_no_folder = 无法发送媒体文件“{ $path }”：没有指定媒体文件夹
dialect_media_not_a_file = 无法发送媒体文件“{ $path }”：它不是文件
dialect_media_not_base64 = 消息中的 { $media_type } 数据无法发送：不是 base64 编码
dialect_media_outside = 媒体文件“{ $path }”不在 { $folder } 内；只能发送该文件夹中的文件
dialect_media_too_large = 媒体文件“{ $path }”太大：{ $bytes } 字节，上限为 { $max } 字节
dialect_media_unknown_type = 媒体文件“{ $path }”的内容与声明不符：应为 { $expected }，实际类型未知
dialect_media_unreadable = 无法读取 { $folder } 中的媒体文件“{ $path }”：{ $reason }
dialect_media_wrong_type = 媒体文件“{ $path }”的内容与声明不符：应为 { $expected }，实为 { $found }
dialect_missing_memory_content = 缺少；应为 [消息, [标记]] 的列表
dialect_missing_role = 缺少；可选值：{ $known }
dialect_missing_source = 缺失；应为 { $kind } 块的来源：URL 或数据
dialect_name_replaced = 名称“{ $name }”写为“{ $alias }”：OpenAI 只接受 ASCII 字母、数字、“_”和“-”
dialect_no_members = 无法识别对话的格式：没有带成员的消息；请指定格式
dialect_no_messages = 这份保存的状态中没有消息
dialect_odd_call = 调用列表中有一项没有写明工具
dialect_profile_agentscope = AgentScope（按其文档）
dialect_profile_agentscope_java1 = AgentScope Java 版 1
dialect_profile_agentscope_python1 = AgentScope Python 版 1
dialect_profile_agentscope_python2 = AgentScope Python 版 2
dialect_profile_autogen = AutoGen 和 AG2：消息、事件、保存的状态
dialect_profile_langchain = LangChain，由 messages_to_dict 写出
dialect_profile_langchain_flat = LangChain，逐条导出的消息
dialect_profile_openai = OpenAI 聊天消息
dialect_profile_openai_lines = OpenAI 聊天对话，每行一段
dialect_profile_playhouse = 本程序自己的格式
dialect_thoughts_left_out = 省略了 { $count } 段思考：此格式没有存放思考的位置
dialect_unknown_block = 类型未知的内容块“{ $kind }”已原样保留
dialect_unknown_format =
    无法识别对话的格式，请指定。
    消息应有：'type' 与 'content'（playhouse、langchain-flat）；'type' 与 'data'，或 'lc' 与 'kwargs'（langchain）；大写的 'role'（agentscope、agentscope-java1）；'role' 与 'timestamp' 或 'metadata'（agentscope-python1）；'role' 与 'created_at'（agentscope-python2）；或 'role' 与 'content' 或 'tool_calls'（openai）。
    实际的成员：{ $members }
dialect_unknown_profile = 未知格式“{ $name }”；可选值：{ $known }
dialect_unknown_role = 未知角色“{ $role }”；可选值：{ $known }
