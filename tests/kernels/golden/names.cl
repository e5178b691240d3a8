__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* main_1, __global const float* buf0) {
    __local float u_gl_thing[4] __attribute__((aligned(16)));
    float float_1 = 1.0f;
    main_1[0u] = float_1;
    float double_1 = 1.0f;
    main_1[0u] = double_1;
    float var_thread_1 = 1.0f;
    main_1[0u] = var_thread_1;
    float x = 1.0f;
    main_1[0u] = x;
    float x_1 = 1.0f;
    main_1[0u] = x_1;
    float t0 = 1.0f;
    main_1[0u] = t0;
    float _2fast = 1.0f;
    main_1[0u] = _2fast;
    float sm__r = 1.0f;
    main_1[0u] = sm__r;
    float threadIdx = 1.0f;
    main_1[0u] = threadIdx;
    float __kernel_1 = 1.0f;
    main_1[0u] = __kernel_1;
    float var0 = 1.0f;
    main_1[0u] = var0;
    u_gl_thing[0u] = buf0[0u];
    // first line
    // ends in \.
    // */ ? ?/
    const float t1 = main_1[0u] + 1.0f;
    main_1[0u] = t1 * t1;
}
