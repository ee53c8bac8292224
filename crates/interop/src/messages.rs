//! Reading and writing messages in any format.

use playhouse_engine::locale::text;
use playhouse_engine::message::{FormatError, Message};
use serde_json::Value;

use super::neutral::Neutral;
use super::{
    Profile, agent_framework, agentscope, autogen, gemini, langchain, openai, playhouse, responses,
    sharegpt, sillytavern,
};

/// Reads one message. Some formats put several of our messages into one.
pub(super) fn read_message(
    value: &Value,
    profile: Profile,
    warnings: &mut Vec<FormatError>,
) -> Result<Vec<Message>, FormatError> {
    let Value::Object(map) = value else {
        return Err(FormatError::new("", text!(dialect_expected_message)));
    };
    let neutral = match profile {
        Profile::Playhouse => return playhouse::read(map, warnings),
        Profile::AgentScope
        | Profile::AgentScopeJava1
        | Profile::AgentScopePython1
        | Profile::AgentScopePython2 => agentscope::read(map, warnings),
        Profile::LangChain | Profile::LangChainFlat => langchain::read(map, warnings),
        Profile::OpenAi | Profile::OpenAiLines => openai::read_whole(map, warnings),
        Profile::AutoGen => return autogen::read(map, warnings),
        Profile::Gemini => gemini::read(map, warnings),
        Profile::Responses => return responses::read(map, warnings),
        Profile::AgentFramework => agent_framework::read(map, warnings),
        Profile::ShareGpt => sharegpt::read(map, warnings),
        Profile::SillyTavern => return sillytavern::read(map, warnings),
    };
    neutral.map(Neutral::into_messages)
}

/// Writes the messages of one conversation. `speaker` is the name of the entity it belongs to.
pub fn write_messages(messages: &[Message], speaker: Option<&str>, profile: Profile) -> Vec<Value> {
    match profile.written_as() {
        Profile::Playhouse => playhouse::write(messages),
        Profile::AgentScope
        | Profile::AgentScopeJava1
        | Profile::AgentScopePython1
        | Profile::AgentScopePython2 => agentscope::write(messages, speaker, profile),
        Profile::LangChain | Profile::LangChainFlat => langchain::write(messages, profile),
        Profile::AutoGen => autogen::write(messages, speaker),
        Profile::ShareGpt => sharegpt::write(messages),
        Profile::SillyTavern => sillytavern::write(messages, speaker.unwrap_or("assistant")),
        _ => openai::write(messages),
    }
}
