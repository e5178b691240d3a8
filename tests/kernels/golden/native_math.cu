typedef unsigned int uint;

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const float t0 = x[global_id_x];
    x[100u] = __expf(t0);
    x[101u] = exp2f(t0);
    x[102u] = __logf(t0);
    x[103u] = __log2f(t0);
    x[104u] = __sinf(t0);
    x[105u] = __cosf(t0);
    x[106u] = __tanf(t0);
    x[107u] = asinf(t0);
    x[108u] = acosf(t0);
    x[109u] = atanf(t0);
    x[110u] = sinhf(t0);
    x[111u] = coshf(t0);
    x[112u] = tanhf(t0);
    x[113u] = asinhf(t0);
    x[114u] = acoshf(t0);
    x[115u] = atanhf(t0);
    x[116u] = __powf(t0, 1.5f);
    x[117u] = atan2f(t0, 1.5f);
}
