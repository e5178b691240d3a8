typedef long long i64;
typedef unsigned int uint;
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const float* x) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = x[global_id_x];
    const int t1 = max(min(__float2int_rz(t0), 32767), -32768);
    printf("\"%d\" is 100%% of %f\\\n", t1, t0);
    printf("%lld|%-5llu|%d|%f%%\n", t0 >= 9.223372e+18f ? 9223372036854775807ll : (t0 > -9.223372e+18f ? i64(t0) : (t0 <= -9.223372e+18f ? (-9223372036854775807ll - 1) : 0ll)), t0 >= 1.8446744e+19f ? 18446744073709551615ull : (t0 > 0.0f ? u64(t0) : 0ull), t1, t0);
    if (!(t0 > 0.0f)) {
        printf("assertion failed: must be positive (user.py:3)\n");
    }
}
