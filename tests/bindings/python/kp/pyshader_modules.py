"""Modules of SPIR-V in the form that the original pyshader writes, made by spirv-as: buffers are BufferBlocks in the storage
class Uniform, the memory model is Simple, a workgroup has one invocation, and the entry point is `main`."""

import shutil
import subprocess

_HEAD = """
               OpCapability Shader
          %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical Simple
               OpEntryPoint GLCompute %main "main" {inputs}
               OpExecutionMode %main LocalSize 1 1 1
{decorations}
               OpDecorate %array ArrayStride 4
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %block BufferBlock
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %int = OpTypeInt 32 1
      %ivec3 = OpTypeVector %int 3
  %ptr_ivec3 = OpTypePointer Input %ivec3
      %float = OpTypeFloat 32
       %vec2 = OpTypeVector %float 2
      %array = OpTypeRuntimeArray %float
      %block = OpTypeStruct %array
  %ptr_block = OpTypePointer Uniform %block
  %ptr_float = OpTypePointer Uniform %float
          %0 = OpConstant %int 0
          %1 = OpConstant %int 1
        %one = OpConstant %float 1
      %minus = OpConstant %float -1
{variables}
       %main = OpFunction %void None %fn
      %begin = OpLabel
{body}
               OpReturn
               OpFunctionEnd
"""


def module(inputs, buffers, body, version="1.3"):
    """A module with built-in inputs {name: built-in value}, and as many buffers, %data0 and on."""
    decorations = [f"OpDecorate %{name} BuiltIn {value}" for name, value in inputs.items()]
    variables = [f"%{name} = OpVariable %ptr_ivec3 Input" for name in inputs]
    for i in range(buffers):
        decorations += [f"OpDecorate %data{i} DescriptorSet 0", f"OpDecorate %data{i} Binding {i}"]
        variables.append(f"%data{i} = OpVariable %ptr_block Uniform")
    text = _HEAD.format(
        inputs=" ".join(f"%{name}" for name in inputs),
        decorations="\n".join(decorations),
        variables="\n".join(variables),
        body=body,
    )
    assembler = shutil.which("spirv-as")
    assert assembler, "spirv-as, of the package spirv-tools, is not on PATH"
    command = [assembler, "--target-env", f"spv{version}", "-o", "-", "-"]
    done = subprocess.run(command, check=False, input=text.encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def _load(result, buffer, index):
    return f"%p_{result} = OpAccessChain %ptr_float %data{buffer} %0 {index}\n%{result} = OpLoad %float %p_{result}\n"


def _store(value, buffer, index):
    return f"%s_{buffer} = OpAccessChain %ptr_float %data{buffer} %0 {index}\nOpStore %s_{buffer} %{value}\n"


def multiply(version="1.3"):
    """data2[i] = data0[i] * data1[i]."""
    body = "%index = OpLoad %ivec3 %id\n%i = OpCompositeExtract %int %index 0\n"
    body += _load("a", 0, "%i") + _load("b", 1, "%i") + "%r = OpFMul %float %a %b\n" + _store("r", 2, "%i")
    return module({"id": "GlobalInvocationId"}, 3, body, version)


def grid(version="1.3"):
    """data0 and data1 get the numbers of a workgroup along x and y, at x * groups.y + y."""
    body = (
        "%group = OpLoad %ivec3 %wg\n%all = OpLoad %ivec3 %groups\n%x = OpCompositeExtract %int %group 0\n"
        "%y = OpCompositeExtract %int %group 1\n%h = OpCompositeExtract %int %all 1\n%row = OpIMul %int %x %h\n"
        "%i = OpIAdd %int %row %y\n%fx = OpConvertSToF %float %x\n%fy = OpConvertSToF %float %y\n"
    )
    body += _store("fx", 0, "%i") + _store("fy", 1, "%i")
    return module({"wg": "WorkgroupId", "groups": "NumWorkgroups"}, 2, body, version)


def gradients(version="1.3"):
    """Gradients of a logistic regression: x_i x_j y w_in w_out_i w_out_j b_in b_out l_out count."""
    body = "%index = OpLoad %ivec3 %id\n%i = OpCompositeExtract %int %index 0\n"
    body += (
        _load("xi", 0, "%i") + _load("xj", 1, "%i") + _load("y", 2, "%i") + _load("wi", 3, "%0") + _load("wj", 3, "%1")
    )
    body += _load("b", 6, "%0") + _load("m", 9, "%0")
    body += """
          %w = OpCompositeConstruct %vec2 %wi %wj
          %x = OpCompositeConstruct %vec2 %xi %xj
        %dot = OpDot %float %w %x
          %z = OpFAdd %float %dot %b
         %nz = OpFNegate %float %z
         %ez = OpExtInst %float %glsl Exp %nz
         %dn = OpFAdd %float %one %ez
        %hat = OpFDiv %float %one %dn
         %dz = OpFSub %float %hat %y
         %im = OpFDiv %float %one %m
         %dw = OpVectorTimesScalar %vec2 %x %im
        %dw2 = OpVectorTimesScalar %vec2 %dw %dz
         %di = OpCompositeExtract %float %dw2 0
         %dj = OpCompositeExtract %float %dw2 1
         %db = OpFMul %float %im %dz
         %lh = OpExtInst %float %glsl Log %hat
        %yl = OpFMul %float %y %lh
         %ny = OpFSub %float %one %y
         %nh = OpFSub %float %one %hat
         %ln = OpExtInst %float %glsl Log %nh
        %nyl = OpFMul %float %ny %ln
        %sum = OpFAdd %float %yl %nyl
       %loss = OpFMul %float %minus %sum
"""
    body += _store("di", 4, "%i") + _store("dj", 5, "%i") + _store("db", 7, "%i") + _store("loss", 8, "%i")
    return module({"id": "GlobalInvocationId"}, 10, body, version)
