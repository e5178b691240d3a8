typedef unsigned int uint;
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__shared__ __align__(16) float tile[64];
__shared__ __align__(16) f32x3 points[8];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(const float* x, float* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    tile[threadIdx.x] = x[global_id_x];
    __syncthreads();
    y[global_id_x] = tile[threadIdx.x ^ 1u];
    points[1u] = f32x3(tile[0u]);
    __syncthreads();
    y[0u] = x[3u] + points[1u].z;
    __syncthreads();
    __threadfence();
    __threadfence_block();
    y[1u] = float(threadIdx.x);
}
