#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { uint data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { int data[]; } y;
shared uint counts[4];

void main() {
    atomicAdd(x.data[gl_GlobalInvocationID.x], 3u);
    const int t0 = atomicAdd(y.data[gl_GlobalInvocationID.x], -3);
    y.data[200u] = t0;
    atomicAdd(counts[1u], 5u);
    atomicAdd(x.data[gl_GlobalInvocationID.x], 4294967293u);
    const int t1 = atomicAdd(y.data[gl_GlobalInvocationID.x], 3);
    y.data[201u] = t1;
    atomicAdd(counts[1u], 4294967291u);
    atomicMin(x.data[gl_GlobalInvocationID.x], 3u);
    const int t2 = atomicMin(y.data[gl_GlobalInvocationID.x], -3);
    y.data[202u] = t2;
    atomicMin(counts[1u], 5u);
    atomicMax(x.data[gl_GlobalInvocationID.x], 3u);
    const int t3 = atomicMax(y.data[gl_GlobalInvocationID.x], -3);
    y.data[203u] = t3;
    atomicMax(counts[1u], 5u);
    atomicAnd(x.data[gl_GlobalInvocationID.x], 3u);
    const int t4 = atomicAnd(y.data[gl_GlobalInvocationID.x], -3);
    y.data[204u] = t4;
    atomicAnd(counts[1u], 5u);
    atomicOr(x.data[gl_GlobalInvocationID.x], 3u);
    const int t5 = atomicOr(y.data[gl_GlobalInvocationID.x], -3);
    y.data[205u] = t5;
    atomicOr(counts[1u], 5u);
    atomicXor(x.data[gl_GlobalInvocationID.x], 3u);
    const int t6 = atomicXor(y.data[gl_GlobalInvocationID.x], -3);
    y.data[206u] = t6;
    atomicXor(counts[1u], 5u);
    atomicExchange(x.data[gl_GlobalInvocationID.x], 3u);
    const int t7 = atomicExchange(y.data[gl_GlobalInvocationID.x], -3);
    y.data[207u] = t7;
    atomicExchange(counts[1u], 5u);
    const uint t8 = atomicCompSwap(x.data[gl_GlobalInvocationID.x], 1u, 2u);
    x.data[0u] = t8;
    const uint t9 = atomicOr(x.data[gl_GlobalInvocationID.x], 0u);
    memoryBarrier();
    memoryBarrierBuffer();
    atomicExchange(x.data[gl_GlobalInvocationID.x], t9 + t9);
}
