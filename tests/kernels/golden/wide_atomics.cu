typedef long long i64;
typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x4_packed {
    float x, y, z, w;
    f32x4_packed() = default;
    __device__ f32x4_packed(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4_packed(float s) : x(s), y(s), z(s), w(s) {}
    __device__ f32x4_packed(f32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator f32x4() const { return f32x4(x, y, z, w); }
    __device__ float& operator[](uint i) { return (&x)[i]; }
};
template <class T, class S> __device__ inline T vd_bitcast(S s) {
    T t;
    memcpy(&t, &s, sizeof(T));
    return t;
}
struct item {
    uint n;
    f32x4_packed v;
    float x;
};
__shared__ __align__(16) float t[4];

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* f, u64* u, i64* i, item* s, double* w) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    atomicAdd(&u[global_id_x], 3ull);
    const i64 t0 = i64(atomicAdd((u64*)&i[global_id_x], u64(-3ll)));
    i[global_id_x] = t0;
    const float t1 = atomicAdd(&f[global_id_x], 2.0f);
    f[global_id_x] = t1;
    atomicAdd(&t[1u], 2.0f);
    __threadfence();
    atomicAdd(&w[global_id_x], 2.0);
    __threadfence();
    atomicMin(&u[global_id_x], 3ull);
    const i64 t2 = atomicMin(&i[global_id_x], -3ll);
    i[global_id_x] = t2;
    uint var0 = ((uint*)f)[global_id_x];
    while (true) {
        const uint t3 = var0;
        const uint t4 = atomicCAS(&((uint*)f)[global_id_x], t3, __float_as_uint(fminf(__uint_as_float(t3), 2.0f)));
        var0 = t4;
        if (t4 == t3) {
            break;
        }
    }
    f[global_id_x] = __uint_as_float(var0);
    uint var1 = ((uint*)t)[1u];
    while (true) {
        const uint t5 = var1;
        const uint t6 = atomicCAS(&((uint*)t)[1u], t5, __float_as_uint(fminf(__uint_as_float(t5), 2.0f)));
        var1 = t6;
        if (t6 == t5) {
            break;
        }
    }
    u64 var2 = ((u64*)w)[global_id_x];
    while (true) {
        const u64 t7 = var2;
        __threadfence();
        const u64 t8 = atomicCAS(&((u64*)w)[global_id_x], t7, vd_bitcast<u64>(fmin(vd_bitcast<double>(t7), 2.0)));
        __threadfence();
        var2 = t8;
        if (t8 == t7) {
            break;
        }
    }
    atomicMax(&u[global_id_x], 3ull);
    const i64 t9 = atomicMax(&i[global_id_x], -3ll);
    i[global_id_x] = t9;
    uint var3 = ((uint*)f)[global_id_x];
    while (true) {
        const uint t10 = var3;
        const uint t11 = atomicCAS(&((uint*)f)[global_id_x], t10, __float_as_uint(fmaxf(__uint_as_float(t10), 2.0f)));
        var3 = t11;
        if (t11 == t10) {
            break;
        }
    }
    f[global_id_x] = __uint_as_float(var3);
    uint var4 = ((uint*)t)[1u];
    while (true) {
        const uint t12 = var4;
        const uint t13 = atomicCAS(&((uint*)t)[1u], t12, __float_as_uint(fmaxf(__uint_as_float(t12), 2.0f)));
        var4 = t13;
        if (t13 == t12) {
            break;
        }
    }
    u64 var5 = ((u64*)w)[global_id_x];
    while (true) {
        const u64 t14 = var5;
        __threadfence();
        const u64 t15 = atomicCAS(&((u64*)w)[global_id_x], t14, vd_bitcast<u64>(fmax(vd_bitcast<double>(t14), 2.0)));
        __threadfence();
        var5 = t15;
        if (t15 == t14) {
            break;
        }
    }
    atomicXor(&u[global_id_x], 3ull);
    const i64 t16 = i64(atomicXor((u64*)&i[global_id_x], u64(-3ll)));
    i[global_id_x] = t16;
    atomicExch(&u[global_id_x], 3ull);
    const i64 t17 = i64(atomicExch((u64*)&i[global_id_x], u64(-3ll)));
    i[global_id_x] = t17;
    const float t18 = atomicExch(&f[global_id_x], 2.0f);
    f[global_id_x] = t18;
    atomicExch(&t[1u], 2.0f);
    __threadfence();
    __longlong_as_double(i64(atomicExch((u64*)&w[global_id_x], u64(__double_as_longlong(2.0)))));
    __threadfence();
    atomicCAS(&u[global_id_x], 1ull, 2ull);
    atomicAdd(&s[global_id_x].v[global_id_x & 3u], -2.0f);
    const uint t19 = global_id_x * 6u + 5u;
    uint var6 = ((uint*)s)[t19];
    while (true) {
        const uint t20 = var6;
        const uint t21 = atomicCAS(&((uint*)s)[t19], t20, __float_as_uint(fmaxf(__uint_as_float(t20), 2.0f)));
        var6 = t21;
        if (t21 == t20) {
            break;
        }
    }
}
