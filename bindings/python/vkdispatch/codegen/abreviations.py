"""The names of `abbreviations` and those of arrays, under a spelling that programs use."""

from . import arguments as _arguments
from .abbreviations import *

ConstArr = _arguments.ConstantArray
VarArr = _arguments.VariableArray
