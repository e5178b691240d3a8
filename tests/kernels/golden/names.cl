__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* main_1_memory, ulong main_1_offset, __global const float* buf0_memory, ulong buf0_offset) {
    __global float* const main_1 = (__global float*)((__global uchar*)main_1_memory + main_1_offset);
    __global const float* const buf0 = (__global const float*)((__global const uchar*)buf0_memory + buf0_offset);
    __local float u_gl_thing[4] __attribute__((aligned(16)));
    float float_1 = 1.0f;
    main_1[0u] = 1.0f;
    float double_1 = 1.0f;
    main_1[0u] = 1.0f;
    float var_thread_1 = 1.0f;
    main_1[0u] = 1.0f;
    float x = 1.0f;
    main_1[0u] = 1.0f;
    float x_1 = 1.0f;
    main_1[0u] = 1.0f;
    float t0 = 1.0f;
    main_1[0u] = 1.0f;
    float _2fast = 1.0f;
    main_1[0u] = 1.0f;
    float sm__r = 1.0f;
    main_1[0u] = 1.0f;
    float threadIdx = 1.0f;
    main_1[0u] = 1.0f;
    float __kernel_1 = 1.0f;
    main_1[0u] = 1.0f;
    main_1[0u] = 1.0f;
    u_gl_thing[0u] = buf0[0u];
    // first line
    // ends in \.
    // */ ? ?/
    const float t1 = 1.0f + 1.0f;
    main_1[0u] = t1 * t1;
}
