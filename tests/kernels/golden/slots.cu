typedef unsigned int uint;
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
template <int bytes> __device__ inline void vd_async_copy(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    const unsigned int t = (unsigned int)__cvta_generic_to_shared(to);
    if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(t), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(t), "l"(from), "n"(bytes) : "memory");
#else
    if (bytes == 16) *(uint4*)to = *(const uint4*)from;
    else if (bytes == 8) *(uint2*)to = *(const uint2*)from;
    else *(unsigned int*)to = *(const unsigned int*)from;
    asm volatile("" ::: "memory");
#endif
}
__device__ inline void vd_async_commit() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int groups> __device__ inline void vd_async_wait() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}
__shared__ __align__(16) unsigned char vd_shared[1056];

extern "C" __global__ void __launch_bounds__(64, 2) vkdispatch_main(const float* x, float* y, uint* n) {
    float* const first = (float*)(vd_shared + 0);
    f32x2* const second = (f32x2*)(vd_shared + 0);
    int* const third = (int*)(vd_shared + 1024);
    double* const wide = (double*)(vd_shared + 1040);
    const uint global_id_x = blockIdx.x * 32u + threadIdx.x;
    const uint t0 = threadIdx.y * 32u + threadIdx.x;
    vd_async_copy<4>(&first[t0], &x[global_id_x]);
    vd_async_commit();
    vd_async_wait<0>();
    __syncthreads();
    float sum = 0.0f;
    const float t1 = 0.0f + first[0u];
    sum = t1;
    const float t2 = t1 + first[1u];
    sum = t2;
    const float t3 = t2 + first[2u];
    sum = t3;
    const float t4 = t3 + first[3u];
    sum = t4;
    __syncthreads();
    second[t0] = f32x2(t4, 1.0f);
    __syncthreads();
    const uint t5 = t0 * 4u;
    *(f32x4*)&((float*)y)[t5] = *(f32x4*)&((float*)second)[t5];
    atomicMax(&third[1u], -4);
    __threadfence();
    atomicAdd(&n[0u], 1u);
    __threadfence();
    wide[1u] = 2.5;
    y[1u] = float(2.5 + double(third[1u]));
}
