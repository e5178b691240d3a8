"""Messages of Vulkan's validation layer. In `.ci/run validation` one of them fails the test whose program it is about.

VD_TEST_VALIDATION=1 turns that on; "control" does, too, and leaves out no test, not even those with hazards on purpose.
"""

import os

from vkdispatch import _native

ASKED = os.environ.get("VD_TEST_VALIDATION", "")
#: A fault of the layer, as it says itself: while a function of OpHost holds a queue, it waits ten seconds in vain for the value
#: of the queue's semaphore, and goes on.
OF_THE_LAYER = "UNASSIGNED-VkSemaphore-state-timeout"

_texts: list[str] = []


def _note(level, text):
    if text.startswith("Vulkan validation: ") and OF_THE_LAYER not in text:
        _texts.append(text)


if ASKED:
    _native.log.watchers.append(_note)


def place():
    """The place of the next message."""
    return len(_texts)


def check(begin, node):
    """Fail if there were messages from a place on, and the test is not marked as one that has them."""
    found = _texts[begin:]
    if ASKED == "control" or node.get_closest_marker("layer_messages") is None:
        assert not found, "messages of the validation layer:\n" + "\n".join(found)
