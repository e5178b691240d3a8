#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) readonly buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_y { float data[]; } y;
shared float tile[64];
shared vec3 points[8];

void main() {
    tile[gl_LocalInvocationID.x] = x.data[gl_GlobalInvocationID.x];
    barrier();
    y.data[gl_GlobalInvocationID.x] = tile[gl_LocalInvocationID.x ^ 1u];
    points[1u] = vec3(tile[0u]);
    groupMemoryBarrier();
    barrier();
    y.data[0u] = x.data[3u] + points[1u].z;
    barrier();
    memoryBarrier();
    memoryBarrierShared();
    y.data[1u] = float(gl_LocalInvocationID.x);
}
