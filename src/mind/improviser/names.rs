//! The names that grammars and code share: what a template may mention, and what the code asks for.

macro_rules! facts {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Something that a template may mention as `{name}`, or ask for as `[name]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Fact {
            $($(#[$doc])* $variant,)*
        }

        impl Fact {
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in templates.
            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

macro_rules! roots {
    ($($variant:ident = $name:literal $given:tt,)*) => {
        /// A symbol that the code asks for. Every grammar has all of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Root {
            $($variant,)*
        }

        impl Root {
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The symbol's name.
            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The facts that the code always gives with it.
            pub(super) fn given(self) -> &'static [Fact] {
                match self { $(Self::$variant => &roots!(@facts $given),)* }
            }
        }
    };
    (@facts [$($fact:ident)*]) => { [Fact::Me, $(Fact::$fact),*] };
}

facts! {
    Me = "me",
    Place = "place",
    Day = "day",
    Companions = "companions",
    Companion = "companion",
    Dungeons = "dungeons",
    Dungeon = "dungeon",
    Exit = "exit",
    Heroes = "heroes",
    Present = "present",
    Guest = "guest",
    Other = "other",
    News = "news",
    Target = "target",
    /// What somebody else just spoke of: a name that we know too.
    Topic = "topic",
    Secret = "secret",
    /// The dungeon that comes next.
    Next = "next",
    FightPlace = "fight_place",
    FightFoe = "fight_foe",
    FightFoes = "fight_foes",
    Foe = "foe",
    Foes = "foes",
    FoeLook = "foe_look",
    Ally = "ally",
    Allies = "allies",
    By = "by",
    Skill = "skill",
    Card = "card",
    Fallen = "fallen",
    Gains = "gains",
    With = "with",
    Speaker = "speaker",
    Said = "said",
    /// What tools returned.
    Found = "found",
    Must = "must",
    Events = "events",
    Weakest = "weakest",
    /// What can be said of a word.
    Attribute = "attribute",
    Player = "player",
    // From here on: conditions without words.
    Won = "won",
    Lost = "lost",
    Hurt = "hurt",
    Alone = "alone",
    Itself = "self",
    Light = "light",
    Heavy = "heavy",
    Asked = "asked",
    Many = "many",
    Over = "over",
    Early = "early",
    Late = "late",
    Refused = "refused",
    Home = "home",
    Hostile = "hostile",
    Blunt = "blunt",
    Dreamy = "dreamy",
    Wry = "wry",
    Solemn = "solemn",
    Water = "water",
    Wood = "wood",
    Deep = "deep",
    Hearth = "hearth",
    Shrine = "shrine",
    Market = "market",
    Height = "height",
}

roots! {
    Introduction = "introduction" [],
    HostileCamp = "camp.hostile" [],
    TopicWater = "topic.water" [],
    TopicWood = "topic.wood" [],
    TopicDeep = "topic.deep" [],
    TopicHearth = "topic.hearth" [],
    TopicShrine = "topic.shrine" [],
    TopicMarket = "topic.market" [],
    TopicHeight = "topic.height" [],
    KickoffActor = "kickoff.actor" [],
    KickoffActorWish = "kickoff.actor.wish" [],
    KickoffActorBond = "kickoff.actor.bond" [],
    KickoffStage = "kickoff.stage" [Place],
    KickoffStageMore = "kickoff.stage.more" [Place],
    KickoffWorld = "kickoff.world" [],
    KickoffWorldMore = "kickoff.world.more" [],
    SceneLight = "scene.light" [Place],
    ScenePlace = "scene.place" [Place],
    ScenePeople = "scene.people" [Place],
    MindSpeak = "mind.speak" [Target],
    MindWhisper = "mind.whisper" [Target],
    MindAnnounce = "mind.announce" [],
    MindQuery = "mind.query" [],
    MindMove = "mind.move" [Exit],
    MindWait = "mind.wait" [],
    SpeakOpen = "speak.open" [Target],
    SpeakAnswer = "speak.answer" [Target],
    SpeakMore = "speak.more" [Target],
    Whisper = "whisper" [Target Secret],
    WhisperPlain = "whisper.plain" [Target],
    Announce = "announce" [],
    Wait = "wait" [],
    WorldAnnounce = "world.announce" [Events],
    WorldQuiet = "world.quiet" [],
    Initiation = "combat.initiation" [],
    InitiationMore = "combat.initiation.more" [],
    CardAttack = "card.attack" [],
    CardHeal = "card.heal" [],
    CardGuard = "card.guard" [],
    CardWeaken = "card.weaken" [],
    CardStrengthen = "card.strengthen" [],
    AboutAttack = "about.attack" [Skill Target],
    AboutHeal = "about.heal" [Skill Target],
    AboutGuard = "about.guard" [Skill Target],
    AboutWeaken = "about.weaken" [Skill Target],
    AboutStrengthen = "about.strengthen" [Skill Target],
    RoundOpen = "round.open" [],
    RoundClose = "round.close" [],
    DeedHit = "deed.hit" [By Target Card],
    DeedMiss = "deed.miss" [By Target Card],
    DeedFell = "deed.fell" [By Target Card],
    DeedHeal = "deed.heal" [By Target Card],
    DeedGuard = "deed.guard" [By Target Card],
    DeedWeaken = "deed.weaken" [By Target Card],
    DeedStrengthen = "deed.strengthen" [By Target Card],
    FightOpen = "fight.open" [Foes],
    FightResult = "fight.result" [],
    FightFallen = "fight.fallen" [Fallen],
    FightGains = "fight.gains" [Gains],
    FightClose = "fight.close" [],
    SawOpen = "saw.open" [Foes],
    SawClose = "saw.close" [],
    DayOpen = "day.open" [],
    DaySaid = "day.said" [Speaker Said],
    DayClose = "day.close" [],
    Remember = "remember" [Must],
    UndercoverLine = "undercover.line" [Attribute],
    UndercoverVague = "undercover.vague" [],
    UndercoverOdd = "undercover.odd" [Player Said],
    UndercoverFits = "undercover.fits" [Player Said],
    UndercoverUnclear = "undercover.unclear" [Player],
    UndercoverCivilian = "undercover.i.civilian" [],
    UndercoverHidden = "undercover.i.undercover" [],
    UndercoverUnsure = "undercover.i.unsure" [],
    UndercoverVote = "undercover.vote" [Player],
    UndercoverRecall = "undercover.recall" [Player Said],
    UndercoverSilent = "undercover.silent" [Player],
    ChatAnswer = "chat.answer" [Speaker Said],
    ChatOpen = "chat.open" [],
    ChatLast = "chat.last" [],
    ChatStep = "chat.step" [],
    ChatUnread = "chat.unread" [],
    ChatFound = "chat.found" [Found],
    IdleWords = "tools.idle" [],
    Generic = "generic" [],
    GenericMore = "generic.more" [],
    Label = "label" [],
}
