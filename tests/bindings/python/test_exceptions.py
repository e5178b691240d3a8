"""One kind of mistake has one class of exception: the table of docs/python.md, row by row."""

import pickle

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32, u32, v2
from vkdispatch.codegen.plain import names
from vkdispatch.shader import memo


def kernel(size="out.size", **options):
    @vd.shader(size, **options)
    def saxpy(out: Buff[f32], x: Buff[f32], a: Const[f32] = 2.0):
        i = vc.global_invocation_id().x
        out[i] = a * x[i]

    return saxpy


def traced(body, annotations=(Buff[f32], Buff[i32], Buff[v2])):
    vd.shader(1, arg_type_annotations=list(annotations), arg_names=["x", "n", "v"])(body)


def gone():
    buffer = vd.zeros(4)
    buffer.destroy()
    return buffer


def nested():
    with vc.shader_context(), vc.shader_context():
        pass


@vd.reduce.reduce(0.0)
def total(a: f32, b: f32) -> f32:
    return a + b


LIST = [1.0, 2.0]
WRONG_TYPE = {
    "a list for a kernel's buffer": lambda: kernel()(vd.zeros(4), LIST),
    "a number for a kernel's buffer": lambda: kernel()(vd.zeros(4), 3),
    "an array for a transform's buffer": lambda: vd.fft.fft(np.zeros(4, np.complex64)),
    "an array as out=": lambda: vd.fft.fft(vd.zeros(4, vd.complex64), out=np.zeros(4)),
    "an array for a reduction's buffer": lambda: total(np.zeros(4)),
    "an array to copy from": lambda: vd.zeros(4).copy_from(np.zeros(4)),
    "a list to asbuffer": lambda: vd.asbuffer(LIST),
    "a buffer for real rows": lambda: vd.fft.rfft(vd.zeros(4)),
    "text for a number": lambda: kernel()(vd.zeros(4), vd.zeros(4), "2"),
    "a number for a graph": lambda: kernel()(vd.zeros(4), vd.zeros(4), graph=5),
    "a number for the global graph": lambda: vd.set_global_graph(5),
    "text for a queue": lambda: vd.zeros(4).read("0"),
    "text for a launch size": lambda: kernel(size=None)(vd.zeros(4), vd.zeros(4), exec_size=1.5),
    "text for an axis": lambda: vd.fft.fft(vd.zeros(4, vd.complex64), axis="0"),
    "text for axes": lambda: vd.reduce.reduce(0.0, axes="0")(lambda_sum),
    "a float for a shape": lambda: vd.zeros(4.5),
    "no dtype": lambda: vd.zeros(4, 3),
    "a number for a map": lambda: vd.fft.fft(vd.zeros(4, vd.complex64), input_map=3),
    "a number for a log level": lambda: vd.set_log_level(3),
    "a number for a switch": lambda: vd.initialize(strict=3),
    "a list in an expression": lambda: traced(lambda x, n, v: x[0] + LIST),
    "a list in a function": lambda: traced(lambda x, n, v: vc.sin(LIST)),
    "a float as an index": lambda: traced(lambda x, n, v: x[1.5]),
    "a float as a component": lambda: traced(lambda x, n, v: v[0][1.5]),
    "a scalar for a matrix": lambda: traced(lambda x, n, v: vc.transpose(x[0])),
    "a float for bits": lambda: traced(lambda x, n, v: x[0] & n[0]),
    "a call with an unknown keyword": lambda: kernel()(vd.zeros(4), vd.zeros(4), size=3),
    "a call with too many arguments": lambda: kernel()(vd.zeros(4), vd.zeros(4), 1, 2),
    "a Python list that a kernel indexes": lambda: traced(lambda x, n, v: LIST[n[0]]),
}
WRONG_VALUE = {
    "numbers of another size": lambda: kernel()(vd.zeros(4), vd.zeros(4, "float64")),
    "an array of another size": lambda: vd.zeros(4).write(np.zeros(5, np.float32)),
    "another shape of out=": lambda: vd.fft.fft(vd.zeros(4, vd.complex64), out=vd.zeros(5, vd.complex64)),
    "a buffer that does not divide": lambda: kernel()(vd.zeros(4), vd.Buffer((1,), vd.hvec3)),
    "real numbers for a transform": lambda: vd.fft.fft(vd.zeros(4)),
    "a queue that is not there": lambda: vd.zeros(4).read(9),
    "a launch of nothing": lambda: kernel()(vd.zeros(4), vd.zeros(4), exec_size=0),
    "an axis that is not there": lambda: vd.fft.fft(vd.zeros(4, vd.complex64), axis=3),
    "an axis of a reduction": lambda: vd.reduce.reduce(0.0, axes=3)(lambda_sum)(vd.zeros(4)),
    "a negative shape": lambda: vd.zeros(-1),
    "an argument that is missing": lambda: kernel()(vd.zeros(4)),
    "a backend that is none": lambda: vd.initialize(backend="metal"),
    "a step of zero": lambda: traced(lambda x, n, v: vc.for_block(0, 4, 0)),
    "a store of another type": lambda: traced(lambda x, n, v: x.__setitem__(0, n[0])),
    "a swizzle of a letter": lambda: traced(lambda x, n, v: v[0].swizzle("q")),
    "vectors of two sizes": lambda: traced(lambda x, n, v: v[0] + vc.to_vec3(1)),
    "a condition of Python's on a value": lambda: traced(lambda x, n, v: bool(x[0] > 1)),
}
WRONG_STATE = {
    "a destroyed buffer": lambda: gone().read(0),
    "a destroyed argument": lambda: kernel()(vd.zeros(4), gone()),
    "another backend": lambda: vd.initialize(backend="dummy"),
    "two traces at once": nested,
    "a statement outside of a kernel": vc.barrier,
    "a block without with": lambda: traced(lambda x, n, v: vc.if_block(x[0] > 1)),
    "a block that is open": lambda: traced(lambda x, n, v: vc.if_statement(x[0] > 1)),
    "an end without a block": lambda: traced(lambda x, n, v: vc.end()),
    "a break outside of a loop": lambda: traced(lambda x, n, v: vc.break_statement()),
    "a launch while tracing": lambda: traced(lambda x, n, v: kernel()(vd.zeros(4), vd.zeros(4))),
}
OTHERS = {
    "a constant index past the end": (IndexError, lambda: traced(lambda x, n, v: v[0][5])),
    "a component that is not there": (AttributeError, lambda: traced(lambda x, n, v: v[0].z)),
    "a function that is not there": (AttributeError, lambda: vc.squrt(2)),
    "an integer that does not fit": (OverflowError, lambda: vd.full(4, 2**40, "int32")),
    "a constant that does not fit": (OverflowError, lambda: vd.shader(1)(small)(vd.zeros(4), 2**40)),
    "a literal of more than 64 bits": (OverflowError, lambda: traced(lambda x, n, v: n[0] + 2**70)),
    "a divisor of zero": (ZeroDivisionError, lambda: traced(lambda x, n, v: n[0] // 0)),
    "endless recursion": (RecursionError, lambda: traced(lambda x, n, v: endless(x[0]))),
    "what is not there yet": (NotImplementedError, lambda: vc.ConstArr[f32]),
}


def lambda_sum(a: f32, b: f32) -> f32:
    return a + b


def small(out: Buff[f32], n: Const[u32]):
    out[0] = vc.to_float(n)


def endless(x):
    return endless(x + 1)


@pytest.mark.parametrize("mistake", WRONG_TYPE)
def test_an_object_of_the_wrong_type_is_a_type_error(host, mistake):
    with pytest.raises(TypeError):
        WRONG_TYPE[mistake]()


@pytest.mark.parametrize("mistake", WRONG_VALUE)
def test_a_wrong_value_is_a_value_error(host, mistake):
    with pytest.raises(ValueError) as caught:
        WRONG_VALUE[mistake]()
    assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize("mistake", WRONG_STATE)
def test_the_wrong_time_is_a_runtime_error(host, mistake):
    with pytest.raises(RuntimeError) as caught:
        WRONG_STATE[mistake]()
    assert not isinstance(caught.value, ValueError | TypeError)


@pytest.mark.parametrize("mistake", OTHERS)
def test_mistakes_with_a_class_of_pythons_own(host, mistake):
    error, call = OTHERS[mistake]
    with pytest.raises(error):
        call()


def below(kind):
    """The package's classes of exceptions below a class, and itself."""
    found = {kind} if kind.__module__.startswith("vkdispatch") else set()
    return found.union(*map(below, kind.__subclasses__()))


EXCEPTIONS = sorted(below(BaseException), key=lambda kind: kind.__name__)
assert {names.Widened, memo._Unknown, vd.ShaderBuildError} < set(EXCEPTIONS)


def example(kind):
    if issubclass(kind, vd.ShaderBuildError):
        source = vd.ShaderSource("saxpy", "a = b", (8, 1, 1))
        return kind("saxpy: wrong", shader_source=source, compiler_log="wrong")
    if issubclass(kind, vd.BackendUnavailableError):
        return kind("cuda", "there is no driver")
    if issubclass(kind, vd.Error):
        return kind("Buffer: wrong", -3, "vulkan")
    return kind(7, vd.float64) if kind is names.Widened else kind("wrong")


@pytest.mark.parametrize("kind", EXCEPTIONS, ids=lambda kind: kind.__name__)
def test_exceptions_survive_pickling(kind):
    error = example(kind)
    error.noted = "later"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error) and again.args == error.args
    assert vars(again) == vars(error)


def test_a_kernels_error_reaches_another_process(host):
    @vd.shader(8)
    def large(x: Buff[f32]):
        shared = vc.shared_buffer(f32, 1 << 22)
        shared[0] = x[0]
        x[1] = shared[0]

    with pytest.raises(vd.ShaderBuildError, match="Failed to build kernel 'large'") as caught:
        large.build()
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.shader_source.name == "large" and again.compiler_log and again.backend == "host"
