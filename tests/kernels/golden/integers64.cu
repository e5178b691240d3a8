typedef long long i64;
typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) i64x2 {
    i64 x, y;
    i64x2() = default;
    __device__ i64x2(i64 x, i64 y) : x(x), y(y) {}
    __device__ explicit i64x2(i64 s) : x(s), y(s) {}
    __device__ i64& operator[](uint i) { return (&x)[i]; }
    __device__ i64 operator[](uint i) const { return (&x)[i]; }
};
__device__ inline i64x2 operator+(i64x2 a, i64x2 b) { return i64x2(i64(u64(a.x) + u64(b.x)), i64(u64(a.y) + u64(b.y))); }
__device__ inline i64x2 operator*(i64x2 a, i64x2 b) { return i64x2(i64(u64(a.x) * u64(b.x)), i64(u64(a.y) * u64(b.y))); }
__device__ inline i64x2 operator-(i64x2 a) { return i64x2(i64(0 - u64(a.x)), i64(0 - u64(a.y))); }

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i64* x, u64* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const i64 t0 = x[global_id_x];
    const uint t1 = global_id_x + 1u;
    const i64 t2 = x[t1];
    const u64 t3 = y[global_id_x];
    const u64 t4 = y[t1];
    x[100u] = i64(u64(t0) + u64(t2));
    y[101u] = t3 + t4;
    x[102u] = i64(u64(t0) - u64(t2));
    y[103u] = t3 - t4;
    x[104u] = i64(u64(t0) * u64(t2));
    y[105u] = t3 * t4;
    const i64 t5 = t2 == 0ll || (t0 == (-9223372036854775807ll - 1) && t2 == -1ll) ? 1ll : t2;
    const i64 t6 = t0 / t5;
    const i64 t7 = i64(u64(t0) - u64(i64(u64(t6) * u64(t5))));
    x[106u] = t6;
    const u64 t8 = t4 == 0ull ? 1ull : t4;
    const u64 t9 = t3 / t8;
    y[107u] = t9;
    x[108u] = t7;
    y[109u] = t3 % t8;
    x[110u] = t7 != 0ll && (t7 ^ t2) < 0ll ? i64(u64(t6) - u64(1ll)) : t6;
    y[111u] = t9;
    x[112u] = min(t0, t2);
    y[113u] = min(t3, t4);
    x[114u] = max(t0, t2);
    y[115u] = max(t3, t4);
    x[116u] = t0 & t2;
    y[117u] = t3 & t4;
    x[118u] = t0 ^ t2;
    y[119u] = t3 ^ t4;
    const i64 t10 = t2 & 63ll;
    x[120u] = i64(u64(t0) << t10);
    const u64 t11 = t4 & 63ull;
    y[121u] = t3 << t11;
    x[122u] = t0 >> t10;
    y[123u] = t3 >> t11;
    x[124u] = i64(0 - u64(t0));
    y[125u] = -t3;
    x[126u] = i64(u64(t0) - (u64(min(t0, 0ll)) << 1ull));
    y[127u] = t3;
    x[128u] = t0 > 0ll ? 1ll : (t0 < 0ll ? -1ll : 0ll);
    y[129u] = min(t3, 1ull);
    x[130u] = ~t0;
    y[131u] = ~t3;
    x[132u] = i64(u64(__popcll(u64(t0))));
    y[133u] = u64(__popcll(t3));
    x[134u] = i64(u64(__clzll(i64(u64(t0)))));
    y[135u] = u64(__clzll(i64(t3)));
    x[136u] = i64(u64(__popcll(u64(i64(u64(t0 & i64(0 - u64(t0))) - u64(1ll))))));
    y[137u] = u64(__popcll((t3 & -t3) - 1ull));
    x[138u] = i64(__brevll(u64(t0)));
    y[139u] = __brevll(t3);
    x[140u] = i64(y[0u]);
    const float t12 = float(t0);
    y[141u] = t12 >= 1.8446744e+19f ? 18446744073709551615ull : (t12 > 0.0f ? u64(t12) : 0ull);
    const float t13 = float(t3);
    x[142u] = t13 >= 9.223372e+18f ? 9223372036854775807ll : (t13 > -9.223372e+18f ? i64(t13) : (t13 <= -9.223372e+18f ? (-9223372036854775807ll - 1) : 0ll));
    x[143u] = i64(t3);
    x[144u] = t0 < t2 ? 7ll : -7ll;
    const i64x2 t14 = i64x2(t0, t2);
    x[145u] = (t14 * t14 + -t14).y;
}
