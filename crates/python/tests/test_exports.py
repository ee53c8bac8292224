"""What the program exports, opened by the libraries that it is made for."""

import json
import os
import subprocess
from pathlib import Path

import playhouse
import pytest

TARGET = os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[3] / "target")
PROGRAM = Path(TARGET, "debug", "playhouse")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(scope="module")
def story(folder):
    (folder / "saves").mkdir()
    story = playhouse.Story("drowned-assize", seed=7, save=folder / "saves" / "s")
    story.run(until=4)
    return story


@pytest.fixture(scope="module")
def exported(folder, story):
    if not PROGRAM.exists():
        pytest.skip("the program is not built")

    def export(*form):
        command = [PROGRAM, "export", "s", *form]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    export("--to", "openai", "--dir", "chats")
    export("--csv", "tables", "--parquet", "tables")
    return folder


def test_examples_are_of_the_types_of_openai(exported):
    chat = pytest.importorskip("openai.types.chat")
    from pydantic import TypeAdapter

    messages = TypeAdapter(list[chat.ChatCompletionMessageParam])
    tools = TypeAdapter(list[chat.ChatCompletionToolParam])
    files = list((exported / "chats").glob("*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(lines) > 10
    for line in lines:
        messages.validate_python(line["messages"])
        tools.validate_python(line.get("tools", []))
        assert line["messages"][-1]["role"] == "assistant"


def test_tables_are_read_by_pandas(exported, story):
    pandas = pytest.importorskip("pandas")
    tables = exported / "tables"
    for name in ("events", "calls", "votes", "choices"):
        rows = pandas.read_csv(tables / f"{name}.csv")
        assert len(rows) == len(story.table(name))
    pytest.importorskip("pyarrow")
    events = pandas.read_parquet(tables / "events.parquet")
    assert list(events.text) == [event.text for event in story.events()]
