"""The first steps of five systems that this one grew out of, beside ours: how each is begun there
stands above, as its users write it. All answers come from a script, so that nothing needs a model;
``mind="deepseek"`` or any other name would ask one.
"""

import playhouse


def script(*lines):
    """A mind that says these lines in turn."""
    left = list(lines)
    return lambda messages, schema: left.pop(0)


# AutoGen
#
#   agent = AssistantAgent("assistant", OpenAIChatCompletionClient(model="gpt-4o"))
#   team = RoundRobinGroupChat([agent], termination_condition=TextMentionTermination("DONE"))
#   result = await team.run(task="Say hello")
def test_autogen():
    team = playhouse.Team(
        {
            "name": "team",
            "participants": [{"name": "assistant"}],
            "termination": [{"TextMention": {"text": "DONE"}}, {"MaxMessages": {"max": 10}}],
        },
        mind=script("Hello!", "DONE"),
    )
    result = team.run("Say hello")
    assert [message.content for message in result.messages[:3]] == ["Say hello", "Hello!", "DONE"]
    assert "DONE" in result.stop_reason
    # state = await team.save_state()
    assert team.save_state()["type"] == "TeamState"


# AG2
#
#   groupchat = GroupChat(agents=[coordinator, worker], messages=[], max_round=3)
#   user.initiate_chat(GroupChatManager(groupchat), message="Move the boxes.")
def test_ag2():
    team = playhouse.Team(
        {
            "name": "hall",
            "participants": [{"name": "Coordinator"}, {"name": "Worker"}],
            "max_turns": 3,
        },
        mind=script("Worker, the boxes, please.", "They are moved.", "Good."),
    )
    team.run("Move the boxes.")
    # Of its own words each is the assistant, of all others' the user, as in AG2's messages.
    roles = [message["role"] for message in team.context("Coordinator")]
    assert roles[-3:] == ["assistant", "user", "assistant"]
    assert "They are moved." in team.context("Coordinator")[-2]["content"]


# AgentScope
#
#   friday = ReActAgent(name="Friday", sys_prompt="You are Friday.", model=…, toolkit=toolkit)
#   await friday(Msg("user", "How much is 6 times 7?", "user"))
def test_agentscope():
    def multiply(first: int, second: int) -> int:
        """Multiplies two numbers."""
        return first * second

    def mind(messages, tools):
        if tools:
            return playhouse.Call("multiply", {"first": 6, "second": 7})
        return next(message["content"] for message in messages if message["role"] == "tool")

    friday = {"name": "Friday", "system_message": "You are Friday.", "tools": ["multiply"]}
    team = playhouse.Team(
        {
            "name": "friday",
            "participants": [friday | {"reflect_on_tool_use": True}],
            "max_turns": 1,
        },
        mind,
        tools=[multiply],
    )
    assert team.run("How much is 6 times 7?").messages[-1].content == "42"


# AgentContext
#
#   game.add_system_message(actor, "You are …")
#   game.add_human_message(stage, event)        # broadcast to all who are there
#   game.get_agent_context(actor).context
def test_agent_context():
    story = playhouse.Story("take-the-biscuit", seed=1)
    story.run(until=2)
    actor = next(person for person in story.people() if person.kind == "actor")
    context = story.context(actor.name)
    assert context[0]["role"] == "system"
    # An event is one message to everybody who was there, and to nobody else.
    heard = {row.event for row in story.table("audience") if row.who == actor.name}
    text = next(event.text for event in story.events() if event.event in heard)
    assert any(text in message["content"] for message in context)


# Who is the undercover
#
#   graph = build_graph(); graph.invoke({"players": 6, "words": ("cat", "tiger")})
def test_undercover():
    game = playhouse.Undercover(6, seed=3, words=("cat", "tiger"))
    game.run()
    said = [event for event in game.events() if event.kind == "undercover_description"]
    assert game.winner in ("civilian", "undercover")
    # Descriptions and votes are in the state of the table; nobody has a word from another.
    assert game.table("votes") and said
