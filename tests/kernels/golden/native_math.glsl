#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_v { vec3 data[]; } v;
layout(set = 0, binding = 2, scalar) buffer Block_h { float16_t data[]; } h;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    x.data[100u] = exp(t0);
    x.data[101u] = exp2(t0);
    x.data[102u] = log(t0);
    x.data[103u] = log2(t0);
    x.data[104u] = sin(t0);
    x.data[105u] = cos(t0);
    x.data[106u] = tan(t0);
    x.data[107u] = asin(t0);
    x.data[108u] = acos(t0);
    x.data[109u] = atan(t0);
    x.data[110u] = sinh(t0);
    x.data[111u] = cosh(t0);
    x.data[112u] = tanh(t0);
    x.data[113u] = asinh(t0);
    x.data[114u] = acosh(t0);
    x.data[115u] = atanh(t0);
    x.data[116u] = pow(t0, 1.5);
    x.data[117u] = atan(t0, 1.5);
    v.data[gl_GlobalInvocationID.x] = sin(v.data[gl_GlobalInvocationID.x]);
    h.data[gl_GlobalInvocationID.x] = exp(h.data[gl_GlobalInvocationID.x]);
}
