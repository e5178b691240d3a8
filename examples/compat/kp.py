"""With this folder on PYTHONPATH, `import kp` gives vkdispatch.kp."""

import sys

import vkdispatch.kp

sys.modules["kp"] = vkdispatch.kp
