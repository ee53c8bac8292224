"""Records what providers' own Python clients say a request looks like, as JSON Schemas.

needs: pip install openai anthropic google-genai ollama   (pydantic comes with them)
usage: python record.py          writes openai.json, anthropic.json, gemini.json, ollama.json beside itself

The clients describe requests as typed dictionaries and models; pydantic prints those as schemas. To keep them
small, words for people are dropped and of each union only the kinds that we send are kept; whatever they
describe is then closed, so that a member nobody knows is a failure.
"""

import importlib.metadata
import json
import pathlib

import pydantic

HERE = pathlib.Path(__file__).parent
LICENCES = {"openai": "Apache-2.0", "anthropic": "MIT", "google-genai": "Apache-2.0", "ollama": "MIT"}


def schema_of(what, **options):
    return pydantic.TypeAdapter(what).json_schema(ref_template="#/$defs/{model}", **options)


def without_words(value):
    """The same schema without titles, descriptions and examples."""
    if isinstance(value, list):
        return [without_words(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    named = {"properties", "$defs"}
    return {
        key: {name: without_words(entry) for name, entry in member.items()}
        if key in named and isinstance(member, dict)
        else without_words(member)
        for key, member in value.items()
        if key not in {"title", "description", "examples", "default", "discriminator"}
    }


def narrowed(value, kept):
    """The same schema with only those kinds of each union that are in `kept`, where any is."""
    if isinstance(value, list):
        return [narrowed(entry, kept) for entry in value]
    if not isinstance(value, dict):
        return value
    value = {key: narrowed(member, kept) for key, member in value.items()}
    for union in ("anyOf", "oneOf"):
        kinds = value.get(union)
        if kinds:
            is_kept = lambda kind: kind.get("$ref", "#/$defs/").rsplit("/", 1)[1] in kept or "$ref" not in kind
            chosen = [kind for kind in kinds if is_kept(kind)]
            value[union] = chosen or kinds
            if union == "oneOf":
                value["anyOf"] = value.pop("oneOf")
    return value


def closed(value):
    """The same schema, in which objects have only the members that are named."""
    if isinstance(value, list):
        return [closed(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    value = {key: closed(member) for key, member in value.items()}
    if isinstance(value.get("properties"), dict) and value.get("type") == "object":
        value.setdefault("additionalProperties", False)
    return value


def references(value, found):
    if isinstance(value, list):
        for entry in value:
            references(entry, found)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            found.add(value["$ref"].rsplit("/", 1)[1])
        for member in value.values():
            references(member, found)


def pruned(schema):
    """The same schema without definitions that nothing leads to."""
    defs = schema.pop("$defs", {})
    needed, fresh = set(), set()
    references(schema, fresh)
    while fresh:
        needed |= fresh
        more = set()
        for name in fresh:
            references(defs[name], more)
        fresh = more - needed
    if needed:
        schema["$defs"] = {name: defs[name] for name in sorted(needed)}
    return schema


def write(name, package, schema):
    version = importlib.metadata.version(package)
    recorded = {
        "from": f"the Python package {package} {version}, {LICENCES[package]}",
        "schema": pruned(schema),
    }
    text = json.dumps(recorded, indent=1, ensure_ascii=False, sort_keys=True)
    (HERE / f"{name}.json").write_text(text + "\n", "utf-8")
    print(name, version, len(text), "bytes")


def openai():
    from openai.types.chat import completion_create_params as params

    schema = schema_of(params.CompletionCreateParamsStreaming)
    kept = {
        "ChatCompletionSystemMessageParam",
        "ChatCompletionUserMessageParam",
        "ChatCompletionAssistantMessageParam",
        "ChatCompletionToolMessageParam",
        "ChatCompletionContentPartTextParam",
        "ChatCompletionContentPartImageParam",
        "ChatCompletionContentPartInputAudioParam",
        "ChatCompletionMessageFunctionToolCallParam",
        "ChatCompletionFunctionToolParam",
        "ResponseFormatJSONSchema",
        "ResponseFormatJSONObject",
        "ChatCompletionStreamOptionsParam",
    }
    # A request that comes whole is the same but for this one member.
    schema["properties"]["stream"] = {"type": "boolean"}
    write("openai", "openai", closed(narrowed(without_words(schema), kept)))


def anthropic():
    from anthropic.types import message_create_params as params

    schema = schema_of(params.MessageCreateParamsStreaming)
    kept = {
        "TextBlockParam",
        "ImageBlockParam",
        "Base64ImageSourceParam",
        "URLImageSourceParam",
        "ToolUseBlockParam",
        "ToolResultBlockParam",
        "ThinkingBlockParam",
        "RedactedThinkingBlockParam",
        "ToolParam",
        "ToolChoiceNoneParam",
        "ToolChoiceToolParam",
        "ThinkingConfigDisabledParam",
        "ThinkingConfigAdaptiveParam",
        "ThinkingConfigBetweenToolsParam",
        "MessageParam",
        "UserMessageParam",
        "AssistantMessageParam",
        "CacheControlEphemeralParam",
        "OutputConfigParam",
        "JSONOutputFormatParam",
        "InputSchema",
        "InputSchemaTyped",
    }
    schema["properties"]["stream"] = {"type": "boolean"}
    write("anthropic", "anthropic", closed(narrowed(without_words(schema), kept)))


def gemini():
    from google.genai import types

    class Request(pydantic.BaseModel):
        contents: list[types.Content]
        system_instruction: types.Content | None = None
        tools: list[types.Tool] | None = None
        tool_config: types.ToolConfig | None = None
        generation_config: types.GenerationConfig | None = None
        safety_settings: list[types.SafetySetting] | None = None
        cached_content: str | None = None

    schema = without_words(schema_of(Request, by_alias=False))
    # What we never send leads to most of the definitions.
    for model, names in {
        "Part": {"text", "inline_data", "file_data", "function_call", "function_response", "thought", "thought_signature"},
        "Tool": {"function_declarations"},
        "GenerationConfig": {
            "max_output_tokens", "temperature", "top_p", "top_k", "stop_sequences", "seed",
            "response_mime_type", "response_json_schema", "thinking_config",
        },
        "FunctionDeclaration": {"name", "description", "parameters_json_schema"},
        "FunctionResponse": {"id", "name", "response"},
        "ToolConfig": {"function_calling_config"},
    }.items():
        members = schema["$defs"][model]["properties"]
        schema["$defs"][model]["properties"] = {name: members[name] for name in sorted(names)}
    write("gemini", "google-genai", closed(schema))


def ollama():
    from ollama import _types as types

    schema = without_words(schema_of(types.ChatRequest, mode="validation", by_alias=True))
    # The client also takes any mapping for a message, and images as bytes or paths.
    schema["properties"]["messages"] = {"type": "array", "items": {"$ref": "#/$defs/Message"}}
    schema["$defs"]["Image"] = {"type": "string", "contentEncoding": "base64"}
    # Members that the client doesn't know are nothing to it, as to the server.
    schema["additionalProperties"] = False
    write("ollama", "ollama", schema)


if __name__ == "__main__":
    openai()
    anthropic()
    gemini()
    ollama()
