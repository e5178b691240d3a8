"""The parameters of a kernel, as its Python function annotates them."""

from ..codegen.signature import RESERVED_NAMES, check_annotation, function_signature, resolve_annotation

__all__ = ["RESERVED_NAMES", "check_annotation", "function_signature", "resolve_annotation"]
