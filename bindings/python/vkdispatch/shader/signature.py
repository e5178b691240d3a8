"""What a kernel's Python function says of its parameters."""

from ..codegen.signature import RESERVED_NAMES, check_annotation, function_signature, resolve_annotation

__all__ = ["RESERVED_NAMES", "check_annotation", "function_signature", "resolve_annotation"]
