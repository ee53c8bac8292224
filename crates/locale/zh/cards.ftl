# `crates/interop/src/` 中角色卡与世界书的文字。键以 `cards_` 或 `lore_` 开头。

cards_broken_archive = 无法读取压缩包：{ $reason }
cards_newer = 这是为角色卡规范 { $version } 版制作的；其中的新内容会保留，但无法理解
cards_no_card = 其中没有角色卡
cards_no_character = 这不是角色卡：角色卡是带有名字和描述的对象，或带有“spec”和“data”的对象
cards_not_base64 = 图片中的角色卡已损坏：不是有效的 base64
cards_not_json = 角色卡不是有效的 JSON：{ $reason }
cards_not_png = 图片中只有 PNG 和 APNG 能携带角色卡
cards_not_utf8 = 角色卡不是有效的 UTF-8
cards_too_large = 除图片外，角色卡超过 { $max } 字节
cards_too_many_files = 压缩包中的文件超过 { $max } 个
cards_too_many_values = 角色卡中的值超过 { $max } 个
