"""Names of the kernel language by those that CUDA, OpenCL C, GLSL and NumPy have for the same."""

from __future__ import annotations

NAMES: dict[str, str] = {
    **dict.fromkeys(("global_id", "get_global_id"), "vc.global_invocation_id()"),
    **dict.fromkeys(("threadIdx", "thread_idx", "local_id", "get_local_id"), "vc.local_invocation_id()"),
    **dict.fromkeys(("blockIdx", "block_idx", "group_id", "get_group_id"), "vc.workgroup_id()"),
    **dict.fromkeys(("blockDim", "block_dim", "local_size", "get_local_size"), "vc.workgroup_size()"),
    **dict.fromkeys(("gridDim", "grid_dim", "get_num_groups"), "vc.num_workgroups()"),
    **dict.fromkeys(("syncthreads", "sync_threads", "workgroup_barrier"), "vc.barrier()"),
    **dict.fromkeys(("shared", "shared_array", "shared_memory"), "vc.shared_buffer(f32, 64)"),
    **dict.fromkeys(("where", "ternary"), "vc.select(condition, a, b)"),
    **dict.fromkeys(("rsqrt", "rsqrtf"), "vc.inversesqrt"),
    **dict.fromkeys(("float", "float32", "to_float32"), "vc.to_float"),
    **dict.fromkeys(("int", "int32", "to_int32"), "vc.to_int"),
    **dict.fromkeys(("uint", "uint32", "to_uint32"), "vc.to_uint"),
    **dict.fromkeys(("fmin", "minimum"), "vc.min"),
    **dict.fromkeys(("fmax", "maximum"), "vc.max"),
    **dict.fromkeys(("pown", "powr", "power"), "vc.pow"),
    "fabs": "vc.abs",
    "fmod": "a - b * vc.trunc(a / b), and vc.mod rounds down",
    "lerp": "vc.mix",
    "saturate": "vc.clamp(x, 0, 1)",
    "mad": "vc.fma",
    "range": "vc.for_block",
    "let": "value.to_register()",
}
