#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_v { vec4 data[]; } v;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    const float t1 = x.data[gl_GlobalInvocationID.x + 1u];
    precise float t2 = t0 * t1 + t0;
    x.data[gl_GlobalInvocationID.x] = t2;
    precise float t3 = t0 * t0;
    x.data[1u] = t3 - t1;
    precise vec4 t4 = v.data[gl_GlobalInvocationID.x] * v.data[0u] + v.data[1u];
    v.data[gl_GlobalInvocationID.x] = t4;
}
