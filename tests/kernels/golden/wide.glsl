#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { float data[]; } y;
layout(set = 0, binding = 0, scalar) buffer Block_x_as_f32x4 { vec4 data[]; } x_as_f32x4;
layout(set = 0, binding = 1, scalar) buffer Block_y_as_f32x4 { vec4 data[]; } y_as_f32x4;
layout(set = 0, binding = 0, scalar) coherent buffer Block_x_as_f32_coherent { float data[]; } x_as_f32_coherent;
layout(set = 0, binding = 0, scalar) buffer Block_x_as_complex_f32 { vec2 data[]; } x_as_complex_f32;
layout(set = 0, binding = 1, scalar) buffer Block_y_as_u32x4 { uvec4 data[]; } y_as_u32x4;
shared float tile[256];

void main() {
    const uint t0 = gl_GlobalInvocationID.x * 4u;
    const vec4 t1 = x_as_f32x4.data[t0 / 4u];
    y_as_f32x4.data[t0 / 4u] = t1 * t1;
    const uint t2 = t0 + 1u;
    const vec2 t3 = vec2(x.data[t2], x.data[t2 + 1]);
    y.data[t2] = t3.x;
    y.data[t2 + 1] = t3.y;
    tile[gl_LocalInvocationID.x] = x_as_f32_coherent.data[gl_GlobalInvocationID.x];
    groupMemoryBarrier();
    barrier();
    y.data[0u] = vec4(tile[8u], tile[8u + 1], tile[8u + 2], tile[8u + 3]).w;
    const vec2 t4 = x_as_complex_f32.data[0u];
    const vec2 t5 = x_as_complex_f32.data[gl_GlobalInvocationID.x];
    x_as_complex_f32.data[gl_GlobalInvocationID.x] = vec2(t5.x + t4.x, t5.y + t4.y);
    y.data[5u] = uintBitsToFloat(y_as_u32x4.data[1u].z);
}
