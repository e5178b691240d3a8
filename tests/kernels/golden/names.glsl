#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_main_1 { float data[]; } main_1;
layout(set = 0, binding = 1, scalar) readonly buffer Block_buf0 { float data[]; } buf0;
shared float u_gl_thing[4];

void main() {
    float float_1 = 1.0;
    main_1.data[0u] = 1.0;
    float double_1 = 1.0;
    main_1.data[0u] = 1.0;
    float var_thread_1 = 1.0;
    main_1.data[0u] = 1.0;
    float x = 1.0;
    main_1.data[0u] = 1.0;
    float x_1 = 1.0;
    main_1.data[0u] = 1.0;
    float t0 = 1.0;
    main_1.data[0u] = 1.0;
    float _2fast = 1.0;
    main_1.data[0u] = 1.0;
    float sm__r = 1.0;
    main_1.data[0u] = 1.0;
    float threadIdx = 1.0;
    main_1.data[0u] = 1.0;
    float __kernel = 1.0;
    main_1.data[0u] = 1.0;
    main_1.data[0u] = 1.0;
    u_gl_thing[0u] = buf0.data[0u];
    // first line
    // ends in \.
    // */ ? ?/
    const float t1 = 1.0 + 1.0;
    main_1.data[0u] = t1 * t1;
}
