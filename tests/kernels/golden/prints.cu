typedef short i16;
typedef unsigned int uint;

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const float* x) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = x[global_id_x];
    printf("\"%d\" is 100%% of %f\\\n", int(i16(max(min(__float2int_rz(t0), 32767), -32768))), t0);
    if (!(t0 > 0.0f)) {
        printf("assertion failed: must be positive (user.py:3)\n");
    }
}
