"""Stories whose characters think for themselves, played from Python.

    import playhouse

    def mind(messages, schema, who):
        return "Good evening." if schema is None else my_model(messages, schema)

    story = playhouse.Story("drowned-assize", mind=mind, seed=7)
    story.run(until=4)
    story.events().to_pandas()

Start at :class:`Story`; teams that talk about tasks are :class:`Team`, and who is the undercover is
:class:`Undercover`. A mind is the name of a model, ``"improviser"`` (the built-in one, which needs
no model), or any function: see :data:`Mind`.
"""

from ._messages import Answer, Call, Record, Records
from ._minds import Mind
from ._playhouse import Error, MindError, SaveError, WorldError, worlds
from ._story import Rehearsal, Stop, Story, Undercover, rehearse
from ._team import TaskResult, Team

__all__ = [
    "Answer",
    "Call",
    "Error",
    "Mind",
    "MindError",
    "Record",
    "Records",
    "Rehearsal",
    "SaveError",
    "Stop",
    "Story",
    "TaskResult",
    "Team",
    "Undercover",
    "WorldError",
    "rehearse",
    "worlds",
]
