typedef unsigned int uint;

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(double* x, float* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const double t0 = x[global_id_x];
    x[1u] = t0 * 0.1 + double(y[global_id_x]);
    x[2u] = sqrt(fabs(t0));
    x[3u] = fmax(t0, __longlong_as_double(0x7ff0000000000000));
    x[4u] = double(t0 >= 2147483648.0 ? 2147483647 : (t0 > -2147483648.0 ? int(t0) : (t0 <= -2147483648.0 ? (-2147483647 - 1) : 0)));
    x[5u] = double(t0 >= 4294967296.0 ? 4294967295u : (t0 > 0.0 ? uint(t0) : 0u));
    y[global_id_x] = float(t0);
}
