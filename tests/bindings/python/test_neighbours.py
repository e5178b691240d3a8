"""Beside torch and CuPy in one process, in the context that all of them share: ours runs between their work."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Var, f32


class Torch:
    """torch's work, which it leaves on its own stream."""

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="torch is not installed")
        if not self.torch.cuda.is_available():
            pytest.skip("torch sees no CUDA device")
        self.data = self.torch.arange(1000, dtype=self.torch.float32, device="cuda:0")

    def work(self):
        self.data = self.data * 2 + 1

    def result(self):
        return self.data.cpu().numpy()


class CuPy:
    """CuPy's."""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
        try:
            if self.cupy.cuda.runtime.getDeviceCount() == 0:
                pytest.skip("CuPy sees no CUDA device")
        except self.cupy.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(f"CuPy sees no CUDA device: {error}")
        self.data = self.cupy.arange(1000, dtype=self.cupy.float32)

    def work(self):
        self.data = self.data * 2 + 1

    def result(self):
        return self.data.get()


@pytest.mark.parametrize("first", [True, False], ids=["theirs first", "ours first"])
@pytest.mark.parametrize("neighbour", [Torch, CuPy])
def test_work_between_each_others(on_backend, neighbour, first):
    theirs = neighbour() if first else None
    with on_backend("cuda"):

        @vd.shader("data.size")
        def twice(data: Buff[f32], term: Var[f32] = 1.0):
            i = vc.global_invocation().x
            data[i] = data[i] * 2 + term

        ours = vd.asbuffer(np.arange(1000, dtype=np.float32))
        theirs = theirs or neighbour()
        graph = vd.CommandGraph()
        twice(ours, graph=graph)
        expected = np.arange(1000, dtype=np.float32)
        for _ in range(3):
            theirs.work()
            twice(ours)
            theirs.work()
            graph.submit()
            expected = expected * 4 + 3
            assert np.array_equal(ours.read(0), expected)
            assert np.array_equal(theirs.result(), expected)
        signal = vd.asbuffer(np.ones((4, 64), np.complex64))
        vd.fft.fft(signal)
        theirs.work()
        assert np.allclose(signal.read(0), np.fft.fft(np.ones((4, 64))))
        assert np.array_equal(theirs.result(), expected * 2 + 1)
        ours.destroy()
    # Ours is gone, and the context that was theirs, too, is not.
    theirs.work()
    assert np.array_equal(theirs.result(), (expected * 2 + 1) * 2 + 1)
