"""With this folder on PYTHONPATH, `import pyshader` gives vkdispatch.kp.pyshader."""

import sys

import vkdispatch.kp.pyshader

sys.modules["pyshader"] = vkdispatch.kp.pyshader
