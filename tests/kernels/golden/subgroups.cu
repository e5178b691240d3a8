typedef unsigned int uint;
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) u32x4 {
    uint x, y, z, w;
    u32x4() = default;
    __device__ u32x4(uint x, uint y, uint z, uint w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit u32x4(uint s) : x(s), y(s), z(s), w(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
template <class T, class F> __device__ inline T vd_subgroup_reduce(T x, F f) {
    unsigned int mask = __activemask();
    if (mask == 0xffffffffu) {
        for (int step = 16; step > 0; step >>= 1) x = f(x, __shfl_xor_sync(mask, x, step));
        return x;
    }
    T r = __shfl_sync(mask, x, __ffs(mask) - 1);
    for (unsigned int rest = mask & (mask - 1); rest; rest &= rest - 1) r = f(r, __shfl_sync(mask, x, __ffs(rest) - 1));
    return r;
}
struct vd_add { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct vd_mul { template <class T> __device__ T operator()(T a, T b) const { return a * b; } };
struct vd_min {
    template <class T> __device__ T operator()(T a, T b) const { return b < a || a != a ? b : a; }
};
struct vd_max {
    template <class T> __device__ T operator()(T a, T b) const { return b > a || a != a ? b : a; }
};
struct vd_and { template <class T> __device__ T operator()(T a, T b) const { return a & b; } };
struct vd_or { template <class T> __device__ T operator()(T a, T b) const { return a | b; } };
struct vd_xor { template <class T> __device__ T operator()(T a, T b) const { return a ^ b; } };
template <class T> __device__ inline T vd_subgroup_first(T x) {
    const unsigned int mask = __activemask();
    return __shfl_sync(mask, x, __ffs(mask) - 1);
}
__device__ inline bool vd_subgroup_elect() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return int(lane) == __ffs(__activemask()) - 1;
}

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x, uint* u, f32x2* v) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const uint t0 = threadIdx.x & 31u;
    const uint t1 = threadIdx.x >> 5u;
    const float t2 = x[global_id_x];
    const uint t3 = u[global_id_x];
    const float t4 = vd_subgroup_reduce(t2, vd_add());
    x[224u] = t4;
    const uint t5 = vd_subgroup_reduce(t3, vd_add());
    u[224u] = t5;
    const float t6 = vd_subgroup_reduce(t2, vd_mul());
    x[225u] = t6;
    const uint t7 = vd_subgroup_reduce(t3, vd_mul());
    u[225u] = t7;
    const float t8 = vd_subgroup_reduce(t2, vd_min());
    x[226u] = t8;
    const uint t9 = vd_subgroup_reduce(t3, vd_min());
    u[226u] = t9;
    const float t10 = vd_subgroup_reduce(t2, vd_max());
    x[227u] = t10;
    const uint t11 = vd_subgroup_reduce(t3, vd_max());
    u[227u] = t11;
    const uint t12 = vd_subgroup_reduce(t3, vd_and());
    u[228u] = t12;
    const uint t13 = vd_subgroup_reduce(t3, vd_or());
    u[229u] = t13;
    const uint t14 = vd_subgroup_reduce(t3, vd_xor());
    u[230u] = t14;
    const f32x2 t15 = v[global_id_x];
    const float t16 = vd_subgroup_reduce(t15.x, vd_add());
    const float t17 = vd_subgroup_reduce(t15.y, vd_add());
    v[global_id_x] = f32x2(t16, t17);
    const float t18 = __shfl_sync(__activemask(), t2, 1u);
    x[233u] = t18;
    const float t19 = __shfl_xor_sync(__activemask(), t2, 1u);
    x[234u] = t19;
    const float t20 = __shfl_up_sync(__activemask(), t2, 1u);
    x[235u] = t20;
    const float t21 = __shfl_down_sync(__activemask(), t2, 1u);
    x[236u] = t21;
    const float t22 = vd_subgroup_first(t2);
    x[1u] = t22;
    const float t23 = __shfl_sync(__activemask(), t2, 3u);
    x[2u] = t23;
    const float t24 = __shfl_sync(__activemask(), t2, t3);
    x[3u] = t24;
    const bool t25 = t2 > 0.0f;
    const u32x4 t26 = u32x4(__ballot_sync(__activemask(), t25), 0u, 0u, 0u);
    u[3u] = t26.x + t26.w;
    const bool t27 = __all_sync(__activemask(), t25) != 0;
    const bool t28 = __any_sync(__activemask(), t25) != 0;
    if (t28 && t27) {
        u[0u] = 32u;
    }
    const bool t29 = vd_subgroup_elect();
    if (t29) {
        u[1u] = t0 + t1;
        u[2u] = 2u;
    }
    __syncwarp(__activemask());
}
