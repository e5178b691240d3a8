#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float16_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { f16vec4 data[]; } y;
layout(set = 0, binding = 2, scalar) buffer Block_z { float data[]; } z;

void main() {
    const float16_t t0 = x.data[gl_GlobalInvocationID.x];
    const f16vec4 t1 = y.data[gl_GlobalInvocationID.x];
    x.data[gl_GlobalInvocationID.x] = t0 * t0 + 0.5hf;
    x.data[1u] = t0 / sqrt(t0);
    x.data[2u] = float16_t(z.data[gl_GlobalInvocationID.x]);
    x.data[3u] = t0 < 1.0hf ? float16_t(gl_GlobalInvocationID.x) : unpackFloat2x16(0x7c00u).x;
    y.data[gl_GlobalInvocationID.x] = max(t1 * t1, -t1);
    z.data[gl_GlobalInvocationID.x] = float(t0);
    const float t2 = float(t0);
    z.data[1u] = float(t2 >= 2147483600.0 ? 2147483647 : (t2 > -2147483600.0 ? int(t2) : (t2 <= -2147483600.0 ? (-2147483647 - 1) : 0)));
}
