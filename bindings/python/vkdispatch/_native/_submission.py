"""Submissions whose ticket an interrupt from the keyboard does not hide: it is in memory that the caller keeps."""

from __future__ import annotations

from typing import Any

from ._load import fail, ffi, lib


def ticket_memory() -> Any:
    """Memory for a ticket, with 0 in it."""
    return ffi.new("vd_ticket *")


def submit_graph(graph: Any, desc: Any, ticket: Any) -> None:
    """Submit a graph as vd_graph_submit() does; `ticket` is 0 until it was."""
    ticket[0] = 0
    status = lib.vd_graph_submit(graph, ffi.NULL if desc is None else desc, ticket)
    if status < 0:
        fail(status)
