__shared__ __align__(16) float u_gl_thing[4];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* main_1, const float* buf0) {
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
    float threadIdx_1 = 1.0f;
    main_1[0u] = 1.0f;
    float __kernel = 1.0f;
    main_1[0u] = 1.0f;
    main_1[0u] = 1.0f;
    u_gl_thing[0u] = buf0[0u];
    // first line
    // ends in \.
    // */ ? ?/
    const float t1 = 1.0f + 1.0f;
    main_1[0u] = t1 * t1;
}
