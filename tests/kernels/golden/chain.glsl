#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { float data[]; } x;

void main() {
    const float t0 = 6.0 / (5.0 / (4.0 / (3.0 / (2.0 / (x.data[gl_GlobalInvocationID.x] + 1.0) + 1.0) + 1.0) + 1.0) + 1.0);
    const float t1 = 11.0 / (10.0 / (9.0 / (8.0 / (7.0 / (t0 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0) + 1.0;
    const float t2 = 17.0 / (16.0 / (15.0 / (14.0 / (13.0 / (12.0 / t1 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0);
    const float t3 = 22.0 / (21.0 / (20.0 / (19.0 / (18.0 / (t2 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0) + 1.0;
    const float t4 = 28.0 / (27.0 / (26.0 / (25.0 / (24.0 / (23.0 / t3 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0);
    const float t5 = 33.0 / (32.0 / (31.0 / (30.0 / (29.0 / (t4 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0) + 1.0;
    const float t6 = 39.0 / (38.0 / (37.0 / (36.0 / (35.0 / (34.0 / t5 + 1.0) + 1.0) + 1.0) + 1.0) + 1.0);
    x.data[gl_GlobalInvocationID.x] = 41.0 / (40.0 / (t6 + 1.0) + 1.0);
}
