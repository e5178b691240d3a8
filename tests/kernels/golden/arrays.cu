typedef unsigned int uint;
__constant__ const float table[4] = {1.0f, 2.5f, -3.0f, 4.0f};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x) {
    float a[4];
    for (int k = 0; k < 4; ++k)
        a[k] = 0.0f;
    float grid_0[4];
    for (int k_1 = 0; k_1 < 4; ++k_1)
        grid_0[k_1] = 0.0f;
    float grid_1[4];
    for (int k_2 = 0; k_2 < 4; ++k_2)
        grid_1[k_2] = 0.0f;
    for (uint i = 0u; i < 4u; i += 1u) {
        a[i] = x[i];
        grid_1[i] = 1.0f;
    }
    float b[4];
    for (int k_3 = 0; k_3 < 4; ++k_3)
        b[k_3] = 0.0f;
    b[0u] = x[0u];
    b[1u] = 1.0f;
    b[2u] = 2.0f;
    b[3u] = 3.0f;
    x[9u] = a[threadIdx.x] + table[threadIdx.x];
    x[10u] = grid_0[threadIdx.x];
    x[11u] = b[2u];
}
