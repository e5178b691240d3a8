"""The logger "kp": the library's level follows it, and errors of validation layers are kept for calls that raise them."""

import logging
import threading

import pytest
from vkdispatch import _native, kp
from vkdispatch._native import enums
from vkdispatch.kp import log
from vkdispatch.kp.log import Faults

pytestmark = [pytest.mark.own_context, pytest.mark.layer_messages]  # it writes messages like the layer's


@pytest.fixture(autouse=True)
def logger():
    """The logger "kp" at WARNING, in a library that has its own level and receiver."""
    logger = logging.getLogger("kp")
    before = logger.level
    logger.setLevel(logging.WARNING)
    _native.log.set_callback(None)
    _native.log.set_level(enums.VD_LOG_WARNING)
    yield logger
    logger.setLevel(before)


def level():
    return _native.raw.vd_log_get_level()


def made(**arguments):
    return kp.Manager(backend="host", **arguments)


def test_a_manager_reads_the_level_anew(logger):
    made()
    assert level() == enums.VD_LOG_WARNING
    for given, wanted in (
        (logging.DEBUG, enums.VD_LOG_VERBOSE),
        (logging.INFO, enums.VD_LOG_INFO),
        (15, enums.VD_LOG_INFO),
        (logging.ERROR, enums.VD_LOG_WARNING),
    ):
        logger.setLevel(given)
        made()
        assert level() == wanted


def test_log_level_sets_the_librarys(logger):
    made()
    for number, wanted in ((0, enums.VD_LOG_VERBOSE), (2, enums.VD_LOG_INFO), (3, enums.VD_LOG_WARNING)):
        kp.log_level(number)
        assert level() == wanted


def test_log_level_before_a_manager_leaves_the_library(logger):
    kp.log_level(0)
    assert level() == enums.VD_LOG_WARNING
    made()
    assert level() == enums.VD_LOG_VERBOSE


def test_lines_of_the_library_come_and_go(logger, caplog):
    made()
    kp.log_level(0)
    _native.raw.vd_log_write(enums.VD_LOG_VERBOSE, "a step")
    kp.log_level(3)
    _native.raw.vd_log_write(enums.VD_LOG_VERBOSE, "another step")
    steps = [(record.levelno, record.message) for record in caplog.records if "step" in record.message]
    assert steps == [(logging.DEBUG, "a step")]


def test_a_lower_level_of_the_programs_own_stays(logger):
    made()
    _native.log.set_level(enums.VD_LOG_INFO)
    made()
    assert level() == enums.VD_LOG_INFO
    kp.log_level(0)
    assert level() == enums.VD_LOG_VERBOSE
    kp.log_level(4)
    assert level() == enums.VD_LOG_INFO


def test_a_level_that_is_off_everywhere_is_the_loggers(logger):
    made()
    logger.setLevel(logging.DEBUG)
    logging.disable(logging.WARNING)
    try:
        made()
        assert level() == enums.VD_LOG_WARNING
    finally:
        logging.disable(logging.NOTSET)
    made()
    assert level() == enums.VD_LOG_VERBOSE


def test_a_receiver_of_the_program_is_left_alone(logger):
    got = []
    _native.log.set_callback(lambda *message: got.append(message))
    mine = _native.log.callback()
    made()
    kp.log_level(0)
    made()
    assert _native.log.callback() is mine and level() == enums.VD_LOG_WARNING
    _native.raw.vd_log_write(enums.VD_LOG_WARNING, "mine")
    assert got[-1] == (enums.VD_LOG_WARNING, "mine")


# ---- Errors of validation layers


def report(text):
    _native.raw.vd_log_write(enums.VD_LOG_ERROR, f"Vulkan validation: {text}")


def test_each_manager_that_asked_raises_an_error_once(logger):
    first, second, plain = made(debug="raise"), made(debug="raise"), made()
    report("of one of them")
    for manager in (first, second):
        with pytest.raises(kp.Error, match="of one of them"):
            manager.tensor([1])
        manager.tensor([1])
    plain.tensor([1])
    made(debug="raise").tensor([1])  # the error came before it


def test_errors_are_raised_beside_a_receiver_of_the_program(logger):
    got = []
    _native.log.set_callback(lambda *message: got.append(message))
    manager = made(debug="raise")
    report("seen by both")
    assert got == [(enums.VD_LOG_ERROR, "Vulkan validation: seen by both")]
    with pytest.raises(kp.Error, match="seen by both"):
        manager.tensor([1])


def test_errors_do_not_pile_up(logger):
    manager = made(debug="raise")
    for i in range(log._MOST_FAULTS + 5):
        report(f"error {i};")
    assert len(log.faults._texts) == log._MOST_FAULTS
    with pytest.raises(kp.Error) as raised:
        manager.tensor([1])
    said = str(raised.value)
    assert "5 earlier errors" in said and "error 4;" not in said and "error 5;" in said
    report("the next")
    with pytest.raises(kp.Error) as raised:
        manager.tensor([1])
    assert "the next" in str(raised.value) and "error" not in str(raised.value)


def test_places_are_absolute():
    faults = Faults(2)
    assert faults.since(0) == ([], 0)
    for text in "abc":
        faults.add(text)
    assert len(faults) == 3
    assert faults.since(3) == ([], 3) and faults.since(2) == (["c"], 3) and faults.since(1) == (["b", "c"], 3)
    found, end = faults.since(0)
    assert found[0].startswith("1 earlier") and found[1:] == ["b", "c"] and end == 3


def test_threads_add_errors():
    faults = Faults(1000)
    threads = [threading.Thread(target=lambda: [faults.add("x") for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    place = found = 0
    while any(thread.is_alive() for thread in threads) or place < len(faults):
        texts, place = faults.since(place)
        found += len(texts)
    assert found == len(faults) == 800
