#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
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
        } else if (total > 100) {
            break;
        } else {
            total = total + int(i);
        }
    }
    uint left = 10u;
    while (left > 0u) {
        left = left - 1u;
    }
    while (true) {
        float_1 = left;
        float_1 = float_1 + 1u;
        if (float_1 >= 1u) {
            break;
        }
    }
    const int t0 = int(values.n);
    [[unroll]] for (int i_1 = 9; i_1 > 0; i_1 += -3) {
        total = total + i_1;
    }
    for (int i_2 = 0; (t0 > 0 ? i_2 < 8 : i_2 > 8); i_2 += t0) {
        total = total - i_2;
    }
    while (true) {
        const int t1 = total;
        if (!(t1 * t1 < 50)) break;
        total = total + 1;
    }
    {
        out_1.data[gl_GlobalInvocationID.x] = total + int(float_1);
    }
    return;
}
