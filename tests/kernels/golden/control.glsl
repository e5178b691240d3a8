#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) writeonly buffer Block_out_1 { int data[]; } out_1;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) uint n;
} values;

void main() {
    uint float_1 = 0u;
    int total = 0;
    for (uint i = 0u; i < values.n; i += 2u) {
        if (i == 4u) {
            continue;
        } else {
            const int t0 = total;
            if (t0 > 100) {
                break;
            } else {
                total = int(uint(t0) + uint(int(i)));
            }
        }
    }
    uint left = 10u;
    while (left > 0u) {
        left = left - 1u;
    }
    while (true) {
        const uint t1 = left;
        float_1 = t1;
        const uint t2 = t1 + 1u;
        float_1 = t2;
        if (t2 >= 1u) {
            break;
        }
    }
    const int t3 = int(values.n);
    const int t4 = int(uint(total) + uint(9));
    total = t4;
    const int t5 = int(uint(t4) + uint(6));
    total = t5;
    total = int(uint(t5) + uint(3));
    int var0 = int(uint(0) - uint(t3));
    const bool t6 = t3 > 0;
    while (true) {
        const int t7 = int(uint(var0) + uint(t3));
        var0 = t7;
        if (!(t6 ? t7 < 8 : t7 > 8)) break;
        total = int(uint(total) - uint(var0));
    }
    while (true) {
        const int t8 = total;
        if (!(int(uint(t8) * uint(t8)) < 50)) break;
        total = int(uint(total) + uint(1));
    }
    {
        out_1.data[gl_GlobalInvocationID.x] = int(uint(total) + uint(int(float_1)));
    }
    return;
}
