//! The words of the conversations.

use super::talk::{Tongue, Topic};

macro_rules! topics {
    ($([$($thing:literal)*], [$($say:literal)*], $cue:literal, [$($answer:literal)*], $plain:literal, $paraphrased:literal, $when:literal, $several:literal, $answered:literal, $dated:literal;)*) => {
        &[$(Topic {
            things: &[$($thing),*], says: &[$($say),*], cue: $cue, answers: &[$($answer),*],
            plain: $plain, paraphrased: $paraphrased, when: $when, several: $several,
            answered: $answered, dated: $dated,
        }),*]
    };
}

pub(crate) const ENGLISH: Tongue = Tongue {
    name: "en",
    pairs: &[
        ["Clara", "Miriam"],
        ["John", "Maria"],
        ["Tom", "John"],
        ["Joan", "Nat"],
        ["Audrey", "Andy"],
        ["James", "John"],
        ["Debbie", "Jolene"],
        ["Evan", "Sam"],
        ["Calvin", "Dave"],
        ["Rosa", "Maria"],
    ],
    topics: topics![
        ["guitar" "violin" "clarinet" "ukulele" "cello" "drums"], ["I picked up the {x} again and I love it." "I've been practicing the {x} every night." "I finally bought myself a {x}!"],
        "Are you still making music?", ["Sure! It's the {x} these days." "The {x}, mostly. It keeps me sane."],
        "When does {p} practice the {x}?", "Which thing with strings or sticks does {p} play, the {x}?", "When did {p} buy the {x}?", "What instruments does {p} play?", "What kind of music does {p} make?", "Which instrument did {p} practice in {t}?";

        ["kitten" "puppy" "turtle" "parrot" "hamster" "rabbit"], ["We adopted a {x} from the shelter." "I brought home a little {x}, the kids are over the moon." "Our new {x} already sleeps on the sofa."],
        "Any new member of the family?", ["Yes, a {x}! We named it Biscuit." "You guessed it, a {x} moved in."],
        "Where did {p} adopt the {x}?", "Where does the {x} that lives with {p} come from?", "When did {p} adopt a {x}?", "What pets does {p} have?", "Who joined {p}'s family?", "What animal did {p} take in in {t}?";

        ["Paris" "Lisbon" "Kyoto" "Oslo" "Vancouver" "Prague"], ["I flew to {x} and walked until my feet hurt." "We spent a few days in {x} with my sister." "I went to {x} for a long weekend."],
        "Did you get away at all?", ["I did, {x} was a dream." "A quick one to {x}, yes."],
        "With whom did {p} spend days in {x}?", "Who traveled with {p} to {x}?", "When did {p} go to {x}?", "Which cities has {p} traveled to?", "Where did {p} get away to?", "Where did {p} travel in {t}?";

        ["pottery" "salsa" "photography" "woodworking" "calligraphy" "yoga"], ["I signed up for a {x} class." "I went to my first {x} workshop and it was so calming." "The {x} class is what gets me through the week."],
        "Found something to do after work?", ["{x}! I should have started years ago." "I'm into {x} now, who would have thought."],
        "What class did {p} sign up for, {x}?", "How did {p} feel in the course on {x}?", "When did {p} sign up for a {x} class?", "What activities does {p} do in spare time?", "What does {p} do after work?", "Which workshop did {p} attend in {t}?";

        ["Dune" "Middlemarch" "Beloved" "Emma" "Ulysses" "Persuasion"], ["I finished reading {x}, what an ending." "I couldn't put {x} down." "My book club picked {x} and I devoured it."],
        "What's on your nightstand?", ["{x}. Slow start, but it grows on you." "Still {x}, and I don't want it to end."],
        "Who picked {x} for {p}?", "Which novel called {x} did {p} get through?", "When did {p} finish {x}?", "What books has {p} read?", "What is on {p}'s nightstand?", "What did {p} read in {t}?";

        ["marathon" "triathlon" "swimming race" "charity run" "bike race" "relay"], ["I ran my first {x} and finished in one piece." "I won a medal at the {x}!" "I've been training for the {x} and my legs are jelly."],
        "How is the training going?", ["The {x} is done, and I survived." "Good! The {x} is the next thing on my list."],
        "What did {p} win at the {x}?", "Which prize did {p} get in the {x}?", "When did {p} run the {x}?", "Which competitions did {p} take part in?", "What is {p} training for?", "Which race did {p} take part in in {t}?";

        ["nurse" "baker" "teacher" "architect" "translator" "gardener"], ["I quit and started as a {x}." "I got hired as a {x}, starting Monday." "They offered me a post as a {x} and I took it."],
        "How are things at work?", ["All new: I'm a {x} now." "Different! You're talking to a {x}."],
        "Who hired {p} as a {x}?", "Which job did {p} take as a {x}?", "When did {p} start as a {x}?", "What jobs has {p} had?", "How are things at work for {p}?", "What career did {p} choose in {t}?";

        ["lasagna" "paella" "pumpkin pie" "ramen" "brownies" "sourdough"], ["I cooked {x} for the whole street." "I tried my grandma's recipe for {x} and burned half of it." "I baked and fried all day, the {x} was worth it."],
        "What's for dinner?", ["{x}, from scratch!" "Guess what, {x} again."],
        "Whose recipe for {x} did {p} try?", "From whom does {p} know how to make {x}?", "When did {p} cook {x}?", "What dishes has {p} cooked?", "What does {p} have for dinner?", "What food did {p} make in {t}?";

        ["necklace" "telescope" "fountain pen" "leather jacket" "camera" "bicycle"], ["My brother gave me a {x} for my birthday." "I got a {x} from my aunt and I'm still speechless." "Grandpa left me his old {x}."],
        "What did you unwrap?", ["A {x}, can you believe it?" "Socks. And a {x}!"],
        "Who gave {p} a {x}?", "From whom is the present of {p}, the {x}?", "When did {p} get the {x}?", "What gifts did {p} receive?", "What did {p} unwrap?", "What present did {p} get in {t}?";

        ["ankle" "wrist" "shoulder" "knee" "back" "elbow"], ["I sprained my {x} on the stairs." "The doctor says my {x} needs rest." "I hurt my {x} and can't drive."],
        "You look pale, what happened?", ["It's my {x}. Don't ask." "My {x} again, it kept me up all night."],
        "How did {p} sprain the {x}?", "Where did {p} get the injury of the {x}?", "When did {p} hurt the {x}?", "What injuries did {p} have?", "Why did {p} look pale?", "Which health problem did {p} have in {t}?";

        ["sunset" "lighthouse" "horse" "waterfall" "oak tree" "harbor"], ["I painted a {x} and hung it in the hall." "I sold my picture of the {x}!" "I've been working on a canvas with a {x}."],
        "Are you still drawing?", ["I am. A {x}, this time in oil." "A {x} is on the easel right now."],
        "Where did {p} hang the {x}?", "In which room is the painting of the {x} by {p}?", "When did {p} paint the {x}?", "What has {p} painted?", "What is {p} drawing?", "What did {p} paint in {t}?";

        ["food bank" "animal shelter" "hospice" "library" "homeless shelter" "youth center"], ["I volunteered at the {x} and it opened my eyes." "I helped out at the {x} all day." "We raised money for the {x}."],
        "What kept you so busy?", ["The {x}, they never have enough hands." "I was at the {x}, as always."],
        "What did {p} raise for the {x}?", "How did {p} support the {x} with donations?", "When did {p} volunteer at the {x}?", "Where has {p} helped as a volunteer?", "What kept {p} busy?", "Where did {p} volunteer in {t}?";
    ],
    told: &[
        "{s}",
        "{s}",
        "{s} That was yesterday.",
        "Last week was big: {s}",
        "Two days ago, no kidding: {s}",
        "{s} It was last Friday.",
        "So, {s}",
        "Guess what! {s}",
        "{s} I still can't believe it.",
    ],
    small: &[
        "How have you been?",
        "Work has been crazy because of {f}.",
        "I was thinking about {f} the other day.",
        "Life is good, I can't complain.",
        "The kids keep asking about {f}.",
        "We should talk about {f} some time.",
        "You always know what to say.",
        "That means a lot to me.",
        "What about you, what's new?",
        "I need a break from {f}, honestly.",
        "My family sends their love.",
        "I saw a movie about {f}.",
        "Remember when we used to laugh about {f}?",
        "I read something about {f} on the train.",
        "My friends started with {f}, not for me.",
        "I took some photos of {f}.",
        "Nothing beats a quiet evening at home.",
        "I'm trying to stay positive about {f}.",
    ],
    reactions: &[
        "That's awesome, {o}!",
        "Wow, a {x}? Tell me more!",
        "I'm so happy for you, {o}.",
        "How did that feel?",
        "You're amazing, {o}. What's next?",
        "Oh no way! Good for you.",
        "That sounds lovely. I'd like that, too.",
        "Ha, that's so you, {o}!",
    ],
    greetings: &[
        "Hey {o}! Long time no see.",
        "Hi {o}, good to hear from you.",
        "{o}! I was just about to call.",
        "Hello {o}, what a week.",
    ],
    fillers: &[
        "the weather",
        "music",
        "the new boss",
        "dinner plans",
        "old pets",
        "the garden",
        "money",
        "books",
        "a trip",
        "school",
        "painting",
        "the race",
        "dancing",
        "gifts",
        "the doctor",
        "volunteers",
        "the neighbors",
        "football",
        "the news",
        "holidays",
    ],
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    date: "{d} {m}, {y}",
    month: "{m} {y}",
};

pub(crate) const CHINESE: Tongue = Tongue {
    name: "zh",
    pairs: &[
        ["林晓", "陈默"],
        ["阿菱", "老闻"],
        ["周禾", "陈默"],
        ["沈青", "许白"],
    ],
    topics: topics![
        ["二胡" "琵琶" "吉他" "笛子" "钢琴"], ["我又开始练{x}了，每天晚上都练。" "我终于买了一把{x}！" "教{x}的师父夸我有进步。"],
        "你现在还玩音乐吗？", ["玩啊，最近迷上了{x}。" "主要是{x}，解闷用的。"],
        "{p}什么时候练{x}？", "{p}跟谁学{x}？", "{p}是什么时候买{x}的？", "{p}会哪些乐器？", "{p}现在玩什么音乐？", "{p}在{t}练了什么乐器？";
        ["小猫" "小狗" "乌龟" "鹦鹉" "兔子"], ["我们从收容所领养了一只{x}。" "我带回来一只{x}，孩子们乐坏了。" "家里那只{x}整天睡在沙发上。"],
        "家里添了新成员？", ["是啊，一只{x}，叫豆豆。" "猜对了，来了只{x}。"],
        "{p}从哪里领养了{x}？", "{p}家的{x}是从哪儿抱来的？", "{p}什么时候领养了{x}？", "{p}养过哪些宠物？", "{p}家里添了什么？", "{p}在{t}领养了什么？";
        ["杭州" "大理" "青岛" "敦煌" "桂林"], ["我去了一趟{x}，走得脚都肿了。" "我和姐姐在{x}住了几天。" "趁着假期我飞到{x}看了看。"],
        "你最近出门了吗？", ["去了，{x}真美。" "就去了趟{x}。"],
        "{p}和谁在{x}住了几天？", "谁陪{p}去{x}旅行？", "{p}什么时候去的{x}？", "{p}去过哪些地方旅游？", "{p}最近出门去了哪里？", "{p}在{t}去了哪里？";
        ["陶艺" "书法" "木工" "摄影" "太极"], ["我报了一个{x}班。" "第一次上{x}课，心一下子静了。" "一周就盼着那节{x}课。"],
        "下班以后都干什么？", ["学{x}呢，早该学了。" "现在迷{x}，没想到吧。"],
        "{p}第一次上{x}课感觉怎样？", "{p}参加{x}课程有什么感受？", "{p}什么时候报的{x}班？", "{p}业余时间学些什么？", "{p}下班以后干什么？", "{p}在{t}上了什么课？";
        ["红楼梦" "边城" "围城" "活着" "茶馆"], ["我刚读完《{x}》，结尾太好了。" "读书会选了《{x}》，我一口气看完。" "《{x}》我看得停不下来。"],
        "床头放着什么书？", ["《{x}》，开头慢，后面好看。" "还是《{x}》，舍不得看完。"],
        "谁选了《{x}》？", "{p}为什么会看那本小说《{x}》？", "{p}什么时候读完《{x}》的？", "{p}读过哪些书？", "{p}床头放着什么？", "{p}在{t}读了什么书？";
        ["护士" "面包师" "老师" "翻译" "园丁"], ["我辞了职，改行做{x}了。" "人家录用我当{x}，下周一上班。" "他们请我去做{x}，我答应了。"],
        "工作怎么样？", ["换了，现在我是{x}。" "不一样了，你在跟一个{x}说话。"],
        "谁请{p}去做{x}？", "{p}找到了什么差事，是{x}吗？", "{p}什么时候开始做{x}的？", "{p}做过哪些工作？", "{p}的工作怎么样？", "{p}在{t}换了什么工作？";
        ["饺子" "红烧肉" "酸菜鱼" "月饼" "葱油饼"], ["我给整条街的人做了{x}。" "照着奶奶的方子做{x}，糊了一半。" "忙活一天，{x}总算没白做。"],
        "晚上吃什么？", ["{x}，自己做的！" "猜猜，又是{x}。"],
        "{p}照着谁的方子做{x}？", "{p}做{x}的手艺是跟谁学的？", "{p}什么时候做的{x}？", "{p}做过哪些菜？", "{p}晚上吃什么？", "{p}在{t}做了什么吃的？";
        ["项链" "望远镜" "钢笔" "皮夹克" "自行车"], ["生日那天哥哥送了我一个{x}。" "姑姑给我寄来一个{x}，我都说不出话了。" "爷爷把他的旧{x}留给了我。"],
        "拆开礼物是什么？", ["一个{x}，你敢信？" "袜子，还有{x}！"],
        "谁送了{p}{x}？", "{p}的{x}是谁赠的？", "{p}什么时候收到{x}的？", "{p}收到过哪些礼物？", "{p}拆开的礼物是什么？", "{p}在{t}收到了什么礼物？";
        ["脚踝" "手腕" "肩膀" "膝盖" "腰"], ["我下楼梯把{x}扭了。" "大夫说我的{x}要静养。" "我{x}疼得开不了车。"],
        "你脸色不好，怎么了？", ["是{x}，别提了。" "又是{x}，疼得一夜没睡。"],
        "{p}的{x}是怎么扭的？", "{p}的{x}是怎么受的伤？", "{p}什么时候伤了{x}？", "{p}身上哪里受过伤？", "{p}为什么脸色不好？", "{p}在{t}哪里不舒服？";
        ["晚霞" "灯塔" "骏马" "瀑布" "老槐树"], ["我画了一幅{x}，挂在客厅里。" "我那幅{x}卖出去了！" "我正在画一张{x}。"],
        "还在画画吗？", ["在画，这回是{x}，油彩的。" "架子上就是一幅{x}。"],
        "{p}把{x}挂在哪里？", "{p}那张关于{x}的作品在哪间屋？", "{p}什么时候画的{x}？", "{p}画过些什么？", "{p}还在画什么？", "{p}在{t}画了什么？";
    ],
    told: &[
        "{s}",
        "{s}",
        "昨天的事：{s}",
        "上周可忙了，{s}",
        "前几天啊，{s}",
        "跟你说，{s}",
        "{s}到现在都不敢相信。",
        "星期五那天，{s}",
    ],
    small: &[
        "你最近好吗？",
        "因为{f}，忙得不行。",
        "前阵子我还在想{f}的事。",
        "日子还行，没什么可抱怨的。",
        "孩子们老是问起{f}。",
        "什么时候咱们聊聊{f}。",
        "你总是知道该说什么。",
        "这对我很重要。",
        "你呢，有什么新鲜事？",
        "说真的，{f}让我想歇歇。",
        "家里人都向你问好。",
        "我看了部讲{f}的电影。",
        "还记得咱们以前笑{f}吗？",
        "在车上读到一篇讲{f}的文章。",
        "安安静静在家待一晚最好。",
    ],
    reactions: &[
        "太好了，{o}！",
        "哇，{x}？快说说！",
        "真替你高兴，{o}。",
        "那是什么感觉？",
        "你真行，{o}。下一步呢？",
        "真的假的！恭喜。",
        "听着就好，我也想试试。",
    ],
    greetings: &[
        "{o}，好久不见！",
        "{o}，你好呀。",
        "{o}！我正想给你打电话。",
        "这一周可真够呛，{o}。",
    ],
    fillers: &[
        "天气",
        "音乐",
        "新来的上司",
        "晚饭",
        "宠物",
        "院子",
        "钱",
        "书",
        "旅行",
        "学校",
        "画展",
        "跳舞",
        "礼物",
        "大夫",
        "邻居",
        "球赛",
        "新闻",
        "过节",
    ],
    months: [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
    ],
    date: "{y}年{m}月{d}日",
    month: "{y}年{m}月",
};
