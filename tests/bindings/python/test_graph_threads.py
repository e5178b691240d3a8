"""A graph that one thread submits or changes while another one destroys or resets it."""

import threading

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import raw
from vkdispatch._native._errors import StateError
from vkdispatch.codegen.abbreviations import Buff, Var, i32


@vd.shader("x.size")
def add(x: Buff[i32], amount: Var[i32]):
    x[vc.global_invocation_id().x] += amount


class Other:
    """Another thread, which calls a function once, and when it is done or waits for the graph's lock."""

    def __init__(self, graph, function):
        self._function = function
        self._inner = threading.RLock()
        self._moved = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.error = None
        graph._variables.lock = self

    def _run(self):
        try:
            self._function()
        except StateError as error:
            self.error = error
        self._moved.set()

    def act(self):
        if self._thread.ident is None:
            self._thread.start()
            assert self._moved.wait(20)

    def join(self):
        self._thread.join(20)
        assert not self._thread.is_alive()

    def __enter__(self):
        if not self._inner.acquire(blocking=False):
            self._moved.set()
            self._inner.acquire()

    def __exit__(self, *error):
        self._inner.release()


def values_at_whose_count(act, values):
    """Values of instances: `act` is called when their number is asked for."""

    class Values(list):
        def __len__(self):
            act()
            return list.__len__(self)

    return Values(values)


@pytest.fixture
def recorded(host):
    """A buffer, and a graph that adds the variable `amount` to it."""
    x = vd.asbuffer(np.zeros(1, np.int32))
    graph = vd.CommandGraph()
    add(x, graph.bind_var("amount"), graph=graph)
    return x, graph


def test_a_graph_that_is_destroyed_meanwhile_runs(recorded):
    x, graph = recorded
    other = Other(graph, graph.destroy)
    graph.set_var("amount", [1, 2])
    graph._variables.values["amount"] = values_at_whose_count(other.act, [1, 2])
    graph.submit(2)
    other.join()
    assert x.read(0).tolist() == [3]
    for call in (graph.submit, graph.reset, graph.dot, lambda: graph.set_var("amount", 1)):
        with pytest.raises(StateError, match="CommandGraph was destroyed"):
            call()


def test_a_variable_that_is_set_before_a_reset_is_forgotten(recorded):
    x, graph = recorded
    other = Other(graph, graph.reset)
    uses = []

    class Name(str):
        def __hash__(self):
            uses.append(self)
            if len(uses) == 2:  # the graph knows the name, and does not have the value yet
                other.act()
            return str.__hash__(self)

    graph.set_var(Name("amount"), [1, 2])
    other.join()
    graph.submit(2)
    add(x, graph.bind_var("amount"), graph=graph)
    graph.submit()
    assert len(uses) >= 2 and x.read(0).tolist() == [0]


def test_a_graph_that_is_reset_while_its_values_are_taken(recorded):
    x, graph = recorded
    other = Other(graph, graph.reset)
    graph.set_var("amount", [1, 2])
    graph._variables.values["amount"] = values_at_whose_count(other.act, [1, 2])
    try:
        graph.submit(2)
        expected = [3]  # or the reset found it submitted
    except StateError as error:
        assert "CommandGraph.submit: another thread reset the graph meanwhile" in str(error)
        expected = [0]
    other.join()
    assert other.error is None or "CommandGraph.reset: graph is being submitted" in str(other.error)
    assert x.read(0).tolist() == expected


def test_a_graph_that_is_reset_before_the_library_takes_it(recorded, monkeypatch):
    x, graph = recorded
    graph.set_var("amount", [1, 2])
    submit = raw.vd_graph_submit

    def reset_first(*arguments):
        graph.reset()
        return submit(*arguments)

    monkeypatch.setattr(raw, "vd_graph_submit", reset_first)
    with pytest.raises(StateError, match="CommandGraph.submit: another thread reset the graph meanwhile"):
        graph.submit(2)
    assert x.read(0).tolist() == [0]


def test_a_launch_whose_variable_is_reset_meanwhile(recorded, monkeypatch):
    x, graph = recorded
    launch = raw.vd_graph_launch

    def reset_after(*arguments):
        node = launch(*arguments)
        graph.reset()
        return node

    monkeypatch.setattr(raw, "vd_graph_launch", reset_after)
    with pytest.raises(StateError, match="variable of argument 'amount': another thread reset the graph meanwhile"):
        add(x, graph.bind_var("amount"), graph=graph)


def test_a_variable_that_is_bound_again_after_the_reset_has_no_launch_of_before(recorded, monkeypatch):
    x, graph = recorded
    launch = raw.vd_graph_launch

    def reset_after(*arguments):
        node = launch(*arguments)
        graph.reset()
        graph.bind_var("amount")
        return node

    monkeypatch.setattr(raw, "vd_graph_launch", reset_after)
    with pytest.raises(StateError, match="variable of argument 'amount': another thread reset the graph meanwhile"):
        add(x, graph.bind_var("amount"), graph=graph)
    monkeypatch.undo()
    graph.set_var("amount", 3)
    graph.submit()
    add(x, graph.bind_var("amount"), graph=graph)
    graph.submit()
    assert x.read(0).tolist() == [3]


def test_errors_of_values_name_the_submission(recorded, monkeypatch):
    _, graph = recorded

    def busy(*arguments):
        raise StateError("vd_graph_set_values: graph is being submitted or read by another thread.", 0)

    monkeypatch.setattr(raw, "vd_graph_set_values", busy)
    graph.set_var("amount", 1)
    with pytest.raises(StateError, match="^CommandGraph.submit: graph is being submitted"):
        graph.submit()


def test_a_graph_that_is_recorded_meanwhile_has_a_repr(recorded, monkeypatch):
    _, graph = recorded
    assert repr(graph) == "<CommandGraph on host: 1 command recorded, variables 'amount'>"

    def busy(*arguments):
        raise StateError("vd_graph_get_info: graph is being recorded by another thread.", 0)

    monkeypatch.setattr(raw, "vd_graph_get_info", busy)
    assert repr(graph) == "<CommandGraph on host: another thread records into it>"


def test_a_graph_that_is_destroyed_while_it_is_added(recorded, monkeypatch):
    x, graph = recorded
    outer = vd.CommandGraph()
    graphs = outer._graphs

    def destroy_first():
        graph.destroy()
        return graphs()

    monkeypatch.setattr(outer, "_graphs", destroy_first)
    outer.add_graph(graph)
    outer.set_var("amount", 5)
    outer.submit()
    assert x.read(0).tolist() == [5]
