#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32, local_size_y = 2, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) readonly buffer Block_x { float data[]; } x;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_y { float data[]; } y;
layout(set = 0, binding = 2, scalar) buffer Block_n { uint data[]; } n;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_y_as_f32x4 { vec4 data[]; } y_as_f32x4;
shared uint shared_memory[264];

void main() {
    const uint t0 = gl_LocalInvocationID.y * 32u + gl_LocalInvocationID.x;
    shared_memory[t0] = floatBitsToUint(x.data[gl_GlobalInvocationID.x]);
    barrier();
    float sum = 0.0;
    const float t1 = 0.0 + uintBitsToFloat(shared_memory[0u]);
    sum = t1;
    const float t2 = t1 + uintBitsToFloat(shared_memory[1u]);
    sum = t2;
    const float t3 = t2 + uintBitsToFloat(shared_memory[2u]);
    sum = t3;
    const float t4 = t3 + uintBitsToFloat(shared_memory[3u]);
    sum = t4;
    barrier();
    const uint t5 = t0 * 2u;
    shared_memory[t5] = floatBitsToUint(t4);
    shared_memory[t5 + 1u] = 1065353216u;
    barrier();
    const uint t6 = t0 * 4u;
    const vec4 t7 = vec4(uintBitsToFloat(shared_memory[t6]), uintBitsToFloat(shared_memory[t6 + 1u]), uintBitsToFloat(shared_memory[t6 + 2u]), uintBitsToFloat(shared_memory[t6 + 3u]));
    y_as_f32x4.data[t6 / 4u] = t7;
    uint var0 = shared_memory[257u];
    while (true) {
        const uint t8 = var0;
        const uint t9 = atomicCompSwap(shared_memory[257u], t8, uint(max(int(t8), -4)));
        var0 = t9;
        if (t9 == t8) {
            break;
        }
    }
    memoryBarrier();
    atomicAdd(n.data[0u], 1u);
    memoryBarrier();
    shared_memory[262u] = 0u;
    shared_memory[263u] = 1074003968u;
    y.data[1u] = float(2.5lf + double(int(shared_memory[257u])));
}
