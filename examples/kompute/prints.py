"""Prints from a kernel of a Kompute program: what each invocation sees.

    python examples/kompute/prints.py                  # on the host; or --backend cuda, opencl

Vulkan's compilers leave prints out, which the library says with a warning.
"""

import argparse

import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, f32

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--backend", default="host", help="host (as unless told), cuda, opencl or vulkan")
manager = kp.Manager(backend=parser.parse_args().backend)


@vd.shader("numbers.size")
def double(numbers: Buff[f32]):
    i = vc.global_invocation_id().x
    vc.printf("number %u is %f\n", i, numbers[i])
    numbers[i] = numbers[i] * 2


numbers = manager.tensor([0.5, 1.5, 2.5])
algorithm = manager.algorithm([numbers], double)
manager.sequence().record(kp.OpSyncDevice([numbers])).record(kp.OpAlgoDispatch(algorithm)).record(
    kp.OpSyncLocal([numbers])
).eval()
print(numbers.data().tolist())
