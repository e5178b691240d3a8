#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;
const float table[4] = float [4](1.0, 2.5, -3.0, 4.0);

void main() {
    float a[4];
    for (int k = 0; k < 4; ++k)
        a[k] = 0.0;
    float grid_0[4];
    for (int k_1 = 0; k_1 < 4; ++k_1)
        grid_0[k_1] = 0.0;
    float grid_1[4];
    for (int k_2 = 0; k_2 < 4; ++k_2)
        grid_1[k_2] = 0.0;
    for (uint i = 0u; i < 4u; i += 1u) {
        a[i] = x.data[i];
        grid_1[i] = 1.0;
    }
    float b[4];
    b = float [4](x.data[0u], 1.0, 2.0, 3.0);
    x.data[9u] = a[gl_LocalInvocationID.x] + table[gl_LocalInvocationID.x];
    x.data[10u] = grid_0[gl_LocalInvocationID.x];
    x.data[11u] = b[2u];
}
