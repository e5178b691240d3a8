#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;

void main() {
    const float t0 = x.data[0u];
    x.data[0u] = x.data[1u];
    x.data[1u] = t0;
    const float t1 = t0 + 1.0;
    x.data[2u] = t1 * t1;
}
