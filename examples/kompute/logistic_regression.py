"""A logistic regression learns two weights and a bias: the device computes each sample's gradients, the program adds them up.

    python examples/kompute/logistic_regression.py                    # on Vulkan's first device
    python examples/kompute/logistic_regression.py --backend host     # or cuda, opencl, vulkan

The sequence is recorded once and evaluated 100 times: each evaluation takes the weights that the program wrote into the
tensor's own memory. In double precision the weights come to 0.000326737746 and 1.587460000329, the bias to
-0.794009106397.
"""

import argparse
import sys

from vkdispatch import kp
from vkdispatch.kp.pyshader import Array, f32, ivec3, python2shader, vec2

X_I, X_J, Y = [0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1]
ITERATIONS, RATE = 100, 0.1
WEIGHT_I, WEIGHT_J, BIAS = 0.000326737746, 1.587460000329, -0.794009106397


@python2shader
def compute_gradients(
    index=("input", "GlobalInvocationId", ivec3),
    x_i=("buffer", 0, Array(f32)),
    x_j=("buffer", 1, Array(f32)),
    y=("buffer", 2, Array(f32)),
    w_in=("buffer", 3, Array(f32)),
    w_out_i=("buffer", 4, Array(f32)),
    w_out_j=("buffer", 5, Array(f32)),
    b_in=("buffer", 6, Array(f32)),
    b_out=("buffer", 7, Array(f32)),
    l_out=("buffer", 8, Array(f32)),
    samples=("buffer", 9, Array(f32)),
):
    i = index.x
    m = samples[0]
    w_curr = vec2(w_in[0], w_in[1])
    x_curr = vec2(x_i[i], x_j[i])
    y_curr = y[i]
    y_hat = 1.0 / (1.0 + stdlib.exp(-(w_curr @ x_curr + b_in[0])))  # noqa: F821 (every shader knows it)
    d_z = y_hat - y_curr
    d_w = (1.0 / m) * x_curr * d_z
    w_out_i[i] = d_w.x
    w_out_j[i] = d_w.y
    b_out[i] = (1.0 / m) * d_z
    l_out[i] = -(y_curr * stdlib.log(y_hat) + (1.0 - y_curr) * stdlib.log(1.0 - y_hat))  # noqa: F821


def learn(manager: kp.Manager) -> tuple[float, float, float, list[float]]:
    """Both weights, the bias, and the loss of each sample."""
    x_i, x_j, y = manager.tensor(X_I), manager.tensor(X_J), manager.tensor(Y)
    w_in, b_in, samples = manager.tensor([0.001, 0.001]), manager.tensor([0]), manager.tensor([len(Y)])
    w_out_i, w_out_j, b_out, l_out = (manager.tensor([0] * len(Y)) for _ in range(4))
    tensors = [x_i, x_j, y, w_in, w_out_i, w_out_j, b_in, b_out, l_out, samples]

    manager.sequence().eval(kp.OpSyncDevice(tensors))
    sequence = manager.sequence()
    sequence.record(kp.OpSyncDevice([w_in, b_in]))
    sequence.record(kp.OpAlgoDispatch(manager.algorithm(tensors, compute_gradients.to_spirv())))
    sequence.record(kp.OpSyncLocal([w_out_i, w_out_j, b_out, l_out]))
    for iteration in range(ITERATIONS):
        sequence.eval()
        for k in range(len(Y)):
            w_in.data()[0] -= RATE * w_out_i.data()[k]
            w_in.data()[1] -= RATE * w_out_j.data()[k]
            b_in.data()[0] -= RATE * b_out.data()[k]
        if iteration in (0, 9, ITERATIONS - 1):
            w, b = w_in.data(), b_in.data()
            print(f"after {iteration + 1:3}: weights {w[0]:.8f} {w[1]:.8f}, bias {b[0]:.8f}")
    w_i, w_j = w_in.data().tolist()
    return w_i, w_j, b_in.data().tolist()[0], l_out.data().tolist()


def main() -> int:
    """Run the example; 1 if what it learned is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    manager = kp.Manager(backend=parser.parse_args().backend)
    print(f"device: {manager.get_device_properties()['device_name']}")
    w_i, w_j, b, loss = learn(manager)
    print(f"loss of each sample: {' '.join(f'{value:.4f}' for value in loss)}")
    near = abs(w_i - WEIGHT_I) < 1e-5 and abs(w_j - WEIGHT_J) < 1e-4 and abs(b - BIAS) < 1e-4
    near = near and all(abs(value - 0.375) < 2e-4 for value in loss)
    print(f"off by {abs(w_i - WEIGHT_I):.1e}, {abs(w_j - WEIGHT_J):.1e} and {abs(b - BIAS):.1e}")
    return 0 if near else 1


if __name__ == "__main__":
    sys.exit(main())
