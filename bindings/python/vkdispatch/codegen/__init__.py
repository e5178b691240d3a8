"""The kernel language, in which functions under `@vkdispatch.shader` are written.

    import vkdispatch as vd
    import vkdispatch.codegen as vc
    from vkdispatch.codegen.abbreviations import *

    @vd.shader("out.size")
    def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = x[i] * factor

Names like `abs`, `min` and `print` are those of Python: import the module, not its names.
"""

import types as _types_of_python
import typing as _typing

from . import abbreviations as abbreviations
from . import abreviations as abreviations
from . import functions as functions
from . import shader_writer as shader_writer
from . import signature as signature
from . import struct_builder as struct_builder
from .abbreviations import Buff as Buff
from .abbreviations import Const as Const
from .abbreviations import Img1 as Img1
from .abbreviations import Img2 as Img2
from .abbreviations import Img3 as Img3
from .abbreviations import Var as Var
from .abbreviations import c32 as c32
from .abbreviations import c64 as c64
from .abbreviations import c128 as c128
from .abbreviations import dv2 as dv2
from .abbreviations import dv3 as dv3
from .abbreviations import dv4 as dv4
from .abbreviations import f16 as f16
from .abbreviations import f32 as f32
from .abbreviations import f64 as f64
from .abbreviations import hv2 as hv2
from .abbreviations import hv3 as hv3
from .abbreviations import hv4 as hv4
from .abbreviations import i8 as i8
from .abbreviations import i16 as i16
from .abbreviations import i32 as i32
from .abbreviations import i64 as i64
from .abbreviations import ihv2 as ihv2
from .abbreviations import ihv3 as ihv3
from .abbreviations import ihv4 as ihv4
from .abbreviations import iv2 as iv2
from .abbreviations import iv3 as iv3
from .abbreviations import iv4 as iv4
from .abbreviations import m2 as m2
from .abbreviations import m3 as m3
from .abbreviations import m4 as m4
from .abbreviations import u8 as u8
from .abbreviations import u16 as u16
from .abbreviations import u32 as u32
from .abbreviations import u64 as u64
from .abbreviations import uhv2 as uhv2
from .abbreviations import uhv3 as uhv3
from .abbreviations import uhv4 as uhv4
from .abbreviations import uv2 as uv2
from .abbreviations import uv3 as uv3
from .abbreviations import uv4 as uv4
from .abbreviations import v2 as v2
from .abbreviations import v3 as v3
from .abbreviations import v4 as v4
from .arguments import Buffer as Buffer
from .arguments import Constant as Constant
from .arguments import ConstantArray as ConstantArray
from .arguments import ConstArr as ConstArr
from .arguments import Image1D as Image1D
from .arguments import Image2D as Image2D
from .arguments import Image2DArray as Image2DArray
from .arguments import Image3D as Image3D
from .arguments import StorageImage1D as StorageImage1D
from .arguments import StorageImage2D as StorageImage2D
from .arguments import StorageImage2DArray as StorageImage2DArray
from .arguments import StorageImage3D as StorageImage3D
from .arguments import VarArr as VarArr
from .arguments import Variable as Variable
from .arguments import VariableArray as VariableArray
from .backends import CodeGenBackend as CodeGenBackend
from .backends import CUDABackend as CUDABackend
from .backends import GLSLBackend as GLSLBackend
from .backends import OpenCLBackend as OpenCLBackend
from .builder import ShaderBinding as ShaderBinding
from .builder import ShaderBuilder as ShaderBuilder
from .builder import ShaderFlags as ShaderFlags
from .builder import SharedBuffer as SharedBuffer
from .context import ShaderContext as ShaderContext
from .context import shader_context as shader_context
from .functions.atomics import atomic_add as atomic_add
from .functions.atomics import atomic_and as atomic_and
from .functions.atomics import atomic_compare_exchange as atomic_compare_exchange
from .functions.atomics import atomic_exchange as atomic_exchange
from .functions.atomics import atomic_max as atomic_max
from .functions.atomics import atomic_min as atomic_min
from .functions.atomics import atomic_or as atomic_or
from .functions.atomics import atomic_xor as atomic_xor
from .functions.barriers import barrier as barrier
from .functions.barriers import group_memory_barrier as group_memory_barrier
from .functions.barriers import memory_barrier as memory_barrier
from .functions.barriers import memory_barrier_buffer as memory_barrier_buffer
from .functions.barriers import memory_barrier_image as memory_barrier_image
from .functions.barriers import memory_barrier_shared as memory_barrier_shared
from .functions.bit_casts import float_bits_to_int as float_bits_to_int
from .functions.bit_casts import float_bits_to_uint as float_bits_to_uint
from .functions.bit_casts import int_bits_to_float as int_bits_to_float
from .functions.bit_casts import uint_bits_to_float as uint_bits_to_float
from .functions.bits import bitreverse as bitreverse
from .functions.bits import clz as clz
from .functions.bits import ctz as ctz
from .functions.bits import popcount as popcount
from .functions.builtin_values import global_invocation as global_invocation
from .functions.builtin_values import global_invocation_id as global_invocation_id
from .functions.builtin_values import inf_f16 as inf_f16
from .functions.builtin_values import inf_f32 as inf_f32
from .functions.builtin_values import inf_f64 as inf_f64
from .functions.builtin_values import local_invocation as local_invocation
from .functions.builtin_values import local_invocation_id as local_invocation_id
from .functions.builtin_values import local_invocation_index as local_invocation_index
from .functions.builtin_values import ninf_f16 as ninf_f16
from .functions.builtin_values import ninf_f32 as ninf_f32
from .functions.builtin_values import ninf_f64 as ninf_f64
from .functions.builtin_values import num_subgroups as num_subgroups
from .functions.builtin_values import num_workgroups as num_workgroups
from .functions.builtin_values import subgroup_id as subgroup_id
from .functions.builtin_values import subgroup_invocation as subgroup_invocation
from .functions.builtin_values import subgroup_invocation_id as subgroup_invocation_id
from .functions.builtin_values import subgroup_size as subgroup_size
from .functions.builtin_values import workgroup as workgroup
from .functions.builtin_values import workgroup_id as workgroup_id
from .functions.builtin_values import workgroup_size as workgroup_size
from .functions.casts import str_to_dtype as str_to_dtype
from .functions.casts import to_bool as to_bool
from .functions.casts import to_complex as to_complex
from .functions.casts import to_complex32 as to_complex32
from .functions.casts import to_complex64 as to_complex64
from .functions.casts import to_complex128 as to_complex128
from .functions.casts import to_dtype as to_dtype
from .functions.casts import to_dvec2 as to_dvec2
from .functions.casts import to_dvec3 as to_dvec3
from .functions.casts import to_dvec4 as to_dvec4
from .functions.casts import to_float as to_float
from .functions.casts import to_float16 as to_float16
from .functions.casts import to_float64 as to_float64
from .functions.casts import to_hvec2 as to_hvec2
from .functions.casts import to_hvec3 as to_hvec3
from .functions.casts import to_hvec4 as to_hvec4
from .functions.casts import to_ihvec2 as to_ihvec2
from .functions.casts import to_ihvec3 as to_ihvec3
from .functions.casts import to_ihvec4 as to_ihvec4
from .functions.casts import to_int as to_int
from .functions.casts import to_int8 as to_int8
from .functions.casts import to_int16 as to_int16
from .functions.casts import to_int64 as to_int64
from .functions.casts import to_ivec2 as to_ivec2
from .functions.casts import to_ivec3 as to_ivec3
from .functions.casts import to_ivec4 as to_ivec4
from .functions.casts import to_mat2 as to_mat2
from .functions.casts import to_mat3 as to_mat3
from .functions.casts import to_mat4 as to_mat4
from .functions.casts import to_uhvec2 as to_uhvec2
from .functions.casts import to_uhvec3 as to_uhvec3
from .functions.casts import to_uhvec4 as to_uhvec4
from .functions.casts import to_uint as to_uint
from .functions.casts import to_uint8 as to_uint8
from .functions.casts import to_uint16 as to_uint16
from .functions.casts import to_uint64 as to_uint64
from .functions.casts import to_uvec2 as to_uvec2
from .functions.casts import to_uvec3 as to_uvec3
from .functions.casts import to_uvec4 as to_uvec4
from .functions.casts import to_vec2 as to_vec2
from .functions.casts import to_vec3 as to_vec3
from .functions.casts import to_vec4 as to_vec4
from .functions.common import abs as abs
from .functions.common import ceil as ceil
from .functions.common import clamp as clamp
from .functions.common import clip as clip
from .functions.common import comment as comment
from .functions.common import floor as floor
from .functions.common import fma as fma
from .functions.common import fract as fract
from .functions.common import isinf as isinf
from .functions.common import isnan as isnan
from .functions.common import max as max
from .functions.common import min as min
from .functions.common import mix as mix
from .functions.common import mod as mod
from .functions.common import modf as modf
from .functions.common import round as round
from .functions.common import round_even as round_even
from .functions.common import select as select
from .functions.common import sign as sign
from .functions.common import smoothstep as smoothstep
from .functions.common import step as step
from .functions.common import trunc as trunc
from .functions.complex_numbers import complex_from_euler_angle as complex_from_euler_angle
from .functions.complex_numbers import mult_complex as mult_complex
from .functions.control_flow import all as all
from .functions.control_flow import any as any
from .functions.control_flow import break_statement as break_statement
from .functions.control_flow import continue_statement as continue_statement
from .functions.control_flow import else_block as else_block
from .functions.control_flow import else_if_all as else_if_all
from .functions.control_flow import else_if_any as else_if_any
from .functions.control_flow import else_if_block as else_if_block
from .functions.control_flow import else_if_statement as else_if_statement
from .functions.control_flow import else_statement as else_statement
from .functions.control_flow import end as end
from .functions.control_flow import for_block as for_block
from .functions.control_flow import if_all as if_all
from .functions.control_flow import if_any as if_any
from .functions.control_flow import if_block as if_block
from .functions.control_flow import if_statement as if_statement
from .functions.control_flow import logical_and as logical_and
from .functions.control_flow import logical_or as logical_or
from .functions.control_flow import new_scope as new_scope
from .functions.control_flow import return_statement as return_statement
from .functions.control_flow import scope_block as scope_block
from .functions.control_flow import while_block as while_block
from .functions.control_flow import while_statement as while_statement
from .functions.exponential import exp as exp
from .functions.exponential import exp2 as exp2
from .functions.exponential import inversesqrt as inversesqrt
from .functions.exponential import log as log
from .functions.exponential import log2 as log2
from .functions.exponential import pow as pow
from .functions.exponential import sqrt as sqrt
from .functions.geometric import cross as cross
from .functions.geometric import distance as distance
from .functions.geometric import dot as dot
from .functions.geometric import length as length
from .functions.geometric import normalize as normalize
from .functions.index_raveling import ravel_index as ravel_index
from .functions.index_raveling import unravel_index as unravel_index
from .functions.matrix import determinant as determinant
from .functions.matrix import inverse as inverse
from .functions.matrix import matrix_comp_mult as matrix_comp_mult
from .functions.matrix import outer_product as outer_product
from .functions.matrix import transpose as transpose
from .functions.printing import print as print
from .functions.printing import printf as printf
from .functions.registers import new as new
from .functions.registers import new_bool_register as new_bool_register
from .functions.registers import new_complex32_register as new_complex32_register
from .functions.registers import new_complex64_register as new_complex64_register
from .functions.registers import new_complex128_register as new_complex128_register
from .functions.registers import new_complex_register as new_complex_register
from .functions.registers import new_dvec2_register as new_dvec2_register
from .functions.registers import new_dvec3_register as new_dvec3_register
from .functions.registers import new_dvec4_register as new_dvec4_register
from .functions.registers import new_float as new_float
from .functions.registers import new_float16_register as new_float16_register
from .functions.registers import new_float64_register as new_float64_register
from .functions.registers import new_float_register as new_float_register
from .functions.registers import new_hvec2_register as new_hvec2_register
from .functions.registers import new_hvec3_register as new_hvec3_register
from .functions.registers import new_hvec4_register as new_hvec4_register
from .functions.registers import new_ihvec2_register as new_ihvec2_register
from .functions.registers import new_ihvec3_register as new_ihvec3_register
from .functions.registers import new_ihvec4_register as new_ihvec4_register
from .functions.registers import new_int as new_int
from .functions.registers import new_int8_register as new_int8_register
from .functions.registers import new_int16_register as new_int16_register
from .functions.registers import new_int64_register as new_int64_register
from .functions.registers import new_int_register as new_int_register
from .functions.registers import new_ivec2 as new_ivec2
from .functions.registers import new_ivec2_register as new_ivec2_register
from .functions.registers import new_ivec3 as new_ivec3
from .functions.registers import new_ivec3_register as new_ivec3_register
from .functions.registers import new_ivec4 as new_ivec4
from .functions.registers import new_ivec4_register as new_ivec4_register
from .functions.registers import new_mat2_register as new_mat2_register
from .functions.registers import new_mat3_register as new_mat3_register
from .functions.registers import new_mat4_register as new_mat4_register
from .functions.registers import new_register as new_register
from .functions.registers import new_uhvec2_register as new_uhvec2_register
from .functions.registers import new_uhvec3_register as new_uhvec3_register
from .functions.registers import new_uhvec4_register as new_uhvec4_register
from .functions.registers import new_uint as new_uint
from .functions.registers import new_uint8_register as new_uint8_register
from .functions.registers import new_uint16_register as new_uint16_register
from .functions.registers import new_uint64_register as new_uint64_register
from .functions.registers import new_uint_register as new_uint_register
from .functions.registers import new_uvec2 as new_uvec2
from .functions.registers import new_uvec2_register as new_uvec2_register
from .functions.registers import new_uvec3 as new_uvec3
from .functions.registers import new_uvec3_register as new_uvec3_register
from .functions.registers import new_uvec4 as new_uvec4
from .functions.registers import new_uvec4_register as new_uvec4_register
from .functions.registers import new_vec2 as new_vec2
from .functions.registers import new_vec2_register as new_vec2_register
from .functions.registers import new_vec3 as new_vec3
from .functions.registers import new_vec3_register as new_vec3_register
from .functions.registers import new_vec4 as new_vec4
from .functions.registers import new_vec4_register as new_vec4_register
from .functions.subgroups import subgroup_add as subgroup_add
from .functions.subgroups import subgroup_all as subgroup_all
from .functions.subgroups import subgroup_and as subgroup_and
from .functions.subgroups import subgroup_any as subgroup_any
from .functions.subgroups import subgroup_ballot as subgroup_ballot
from .functions.subgroups import subgroup_barrier as subgroup_barrier
from .functions.subgroups import subgroup_broadcast as subgroup_broadcast
from .functions.subgroups import subgroup_broadcast_first as subgroup_broadcast_first
from .functions.subgroups import subgroup_elect as subgroup_elect
from .functions.subgroups import subgroup_max as subgroup_max
from .functions.subgroups import subgroup_min as subgroup_min
from .functions.subgroups import subgroup_mul as subgroup_mul
from .functions.subgroups import subgroup_or as subgroup_or
from .functions.subgroups import subgroup_shuffle as subgroup_shuffle
from .functions.subgroups import subgroup_shuffle_down as subgroup_shuffle_down
from .functions.subgroups import subgroup_shuffle_up as subgroup_shuffle_up
from .functions.subgroups import subgroup_shuffle_xor as subgroup_shuffle_xor
from .functions.subgroups import subgroup_xor as subgroup_xor
from .functions.trigonometry import acos as acos
from .functions.trigonometry import acosh as acosh
from .functions.trigonometry import arctan2 as arctan2
from .functions.trigonometry import asin as asin
from .functions.trigonometry import asinh as asinh
from .functions.trigonometry import atan as atan
from .functions.trigonometry import atan2 as atan2
from .functions.trigonometry import atanh as atanh
from .functions.trigonometry import cos as cos
from .functions.trigonometry import cosh as cosh
from .functions.trigonometry import degrees as degrees
from .functions.trigonometry import radians as radians
from .functions.trigonometry import sin as sin
from .functions.trigonometry import sinh as sinh
from .functions.trigonometry import tan as tan
from .functions.trigonometry import tanh as tanh
from .global_builder import get_builder as get_builder
from .global_builder import set_builder as set_builder
from .global_builder import shared_buffer as shared_buffer
from .language import get_codegen_backend as get_codegen_backend
from .language import get_shader_print_line_numbers as get_shader_print_line_numbers
from .language import set_codegen_backend as set_codegen_backend
from .language import set_shader_print_line_numbers as set_shader_print_line_numbers
from .mapping import MappingFunction as MappingFunction
from .mapping import map_function as map_function
from .other_languages import NAMES as _NAMES
from .shader_description import BindingType as BindingType
from .shader_description import ShaderArgumentInfo as ShaderArgumentInfo
from .shader_description import ShaderArgumentType as ShaderArgumentType
from .shader_description import ShaderDescription as ShaderDescription
from .struct_builder import StructBuilder as StructBuilder
from .struct_builder import StructElement as StructElement
from .variables.bound_variables import BoundVariable as BoundVariable
from .variables.bound_variables import BufferVariable as BufferVariable
from .variables.images import ImageVariable as ImageVariable
from .variables.variables import ShaderVariable as ShaderVariable


def __dir__() -> list[str]:
    """The public names: the modules, which programs for 0.1 may name, are not listed."""
    hidden = _types_of_python.ModuleType
    return sorted(n for n, v in globals().items() if n[:2] == "__" or not (n[0] == "_" or isinstance(v, hidden)))


if not _typing.TYPE_CHECKING:  # where a type checker must see that a name is not there

    def __getattr__(name: str) -> object:
        """AttributeError that says which name may have been meant."""
        import difflib

        if name.startswith("_"):
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        if name in _NAMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}': here that is {_NAMES[name]}")
        close = difflib.get_close_matches(name, [known for known in globals() if not known.startswith("_")], 1)
        hint = f". Did you mean: '{close[0]}'?" if close else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'{hint}")
