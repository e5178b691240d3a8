"""Two arrays are multiplied, as in Kompute's first example: the shader is a Python function, and runs on every backend.

python examples/kompute/array_multiplication.py                    # on Vulkan's first device
python examples/kompute/array_multiplication.py --backend host     # or cuda, opencl, vulkan
"""

import argparse
import sys

from vkdispatch import kp
from vkdispatch.kp.pyshader import Array, f32, ivec3, python2shader


@python2shader
def compute_product(
    index=("input", "GlobalInvocationId", ivec3),
    data1=("buffer", 0, Array(f32)),
    data2=("buffer", 1, Array(f32)),
    data3=("buffer", 2, Array(f32)),
):
    i = index.x
    data3[i] = data1[i] * data2[i]


def multiply(manager: kp.Manager, first: list[float], second: list[float]) -> list[float]:
    """The products, by a recorded sequence."""
    a, b, out = manager.tensor(first), manager.tensor(second), manager.tensor([0] * len(first))
    algorithm = manager.algorithm([a, b, out], compute_product.to_spirv())
    sequence = manager.sequence()
    sequence.record(kp.OpSyncDevice([a, b, out])).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([out])
    ).eval()
    return out.data().tolist()


def main() -> int:
    """Run the example; 1 if a product is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    manager = kp.Manager(backend=parser.parse_args().backend)
    print(f"device: {manager.get_device_properties()['device_name']}")
    right = True
    for first, second in [([2, 2, 2], [1, 2, 3]), ([2, 4, 6], [0, 1, 2])]:
        found = multiply(manager, first, second)
        print(f"{first} x {second} = {found}")
        right = right and found == [a * b for a, b in zip(first, second, strict=True)]
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
