typedef unsigned int uint;
struct Block_values {
    float alpha;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const float* x, float* out, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    out[global_id_x] = values.alpha * x[global_id_x] + 0.5f;
}
