
extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x) {
    const float t0 = x[0u];
    x[0u] = x[1u];
    x[1u] = t0;
    const float t1 = t0 + 1.0f;
    x[2u] = t1 * t1;
}
