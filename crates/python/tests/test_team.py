"""What the package promises of teams."""

import playhouse
import pytest

SCHOOL = {
    "name": "school",
    "participants": [{"name": "planner"}, {"name": "reviewer"}],
    "max_turns": 2,
}


def test_a_team_talks_and_remembers():
    team = playhouse.Team(SCHOOL, lambda messages, schema, who: f"{who} here.")
    result = team.run("A lesson about the Moon, please.")
    said = [(message.source, message.content) for message in result.messages]
    assert said[1:3] == [("planner", "planner here."), ("reviewer", "reviewer here.")]
    assert result.stop_reason
    assert "planner here." in team.context("reviewer")[-2]["content"]
    state = team.save_state()
    other = playhouse.Team(SCHOOL, lambda messages: "Again.")
    other.load_state(state)
    assert other.context("reviewer") == team.context("reviewer")
    team.reset()
    assert "planner here." not in str(team.context("reviewer"))


def test_tools_of_a_team():
    def double(number: int) -> int:
        """Doubles a number."""
        return 2 * number

    def mind(messages, tools):
        if tools:
            return playhouse.Call("double", {"number": 21})
        (result,) = [message for message in messages if message["role"] == "tool"]
        return f"It is {result['content']}."

    member = {"name": "counter", "tools": ["double"], "reflect_on_tool_use": True}
    team = playhouse.Team(
        {"name": "counting", "participants": [member], "max_turns": 1}, mind, tools=[double]
    )
    assert team.run("Twice 21?").messages[-1].content == "It is 42."


def test_teams_that_are_none():
    with pytest.raises(playhouse.WorldError):
        playhouse.Team("en/nobody")
    with pytest.raises(playhouse.WorldError):
        playhouse.Team({"name": "x", "participants": [{"nam": "y"}]})
    with pytest.raises(LookupError):
        playhouse.Team(SCHOOL, lambda messages: {}["x"]).run("Hm?")
