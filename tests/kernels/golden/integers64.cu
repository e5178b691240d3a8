typedef long long i64;
typedef unsigned int uint;
typedef unsigned long long u64;
struct __align__(16) i64x2 {
    i64 x, y;
    i64x2() = default;
    __device__ i64x2(i64 x, i64 y) : x(x), y(y) {}
    __device__ explicit i64x2(i64 s) : x(s), y(s) {}
    __device__ i64& operator[](uint i) { return (&x)[i]; }
};
__device__ inline i64x2 operator+(i64x2 a, i64x2 b) { return i64x2(i64(u64(a.x) + u64(b.x)), i64(u64(a.y) + u64(b.y))); }
__device__ inline i64x2 operator*(i64x2 a, i64x2 b) { return i64x2(i64(u64(a.x) * u64(b.x)), i64(u64(a.y) * u64(b.y))); }
__device__ inline i64x2 operator-(i64x2 a) { return i64x2(i64(0 - u64(a.x)), i64(0 - u64(a.y))); }

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(i64* x, u64* y) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    const i64 t0 = x[global_id_x];
    const i64 t1 = x[global_id_x + 1u];
    const u64 t2 = y[global_id_x];
    const u64 t3 = y[global_id_x + 1u];
    x[100u] = i64(u64(t0) + u64(t1));
    y[101u] = t2 + t3;
    x[102u] = i64(u64(t0) - u64(t1));
    y[103u] = t2 - t3;
    x[104u] = i64(u64(t0) * u64(t1));
    y[105u] = t2 * t3;
    x[106u] = t0 / (t1 == 0ll || (t1 == -1ll && t0 == (-9223372036854775807ll - 1)) ? 1ll : t1);
    y[107u] = t2 / max(t3, 1ull);
    const i64 t4 = t1 == 0ll || (t1 == -1ll && t0 == (-9223372036854775807ll - 1)) ? 1ll : t1;
    x[108u] = t0 % t4;
    y[109u] = t2 % max(t3, 1ull);
    const i64 t5 = t1 == 0ll || (t1 == -1ll && t0 == (-9223372036854775807ll - 1)) ? 1ll : t1;
    const i64 t6 = t0 / t5;
    const i64 t7 = t0 % t5;
    x[110u] = t7 != 0ll && (t7 ^ t5) < 0ll ? i64(u64(t6) - u64(1ll)) : t6;
    y[111u] = t2 / max(t3, 1ull);
    x[112u] = min(t0, t1);
    y[113u] = min(t2, t3);
    x[114u] = max(t0, t1);
    y[115u] = max(t2, t3);
    x[116u] = t0 & t1;
    y[117u] = t2 & t3;
    x[118u] = t0 ^ t1;
    y[119u] = t2 ^ t3;
    x[120u] = i64(u64(t0) << (t1 & 63ll));
    y[121u] = t2 << (t3 & 63ull);
    x[122u] = t0 >> (t1 & 63ll);
    y[123u] = t2 >> (t3 & 63ull);
    x[124u] = i64(0 - u64(t0));
    y[125u] = -t2;
    x[126u] = t0 < 0ll ? i64(0 - u64(t0)) : t0;
    y[127u] = t2;
    x[128u] = 0ll < t0 ? 1ll : (t0 < 0ll ? -1ll : 0ll);
    y[129u] = 0ull < t2 ? 1ull : 0ull;
    x[130u] = ~t0;
    y[131u] = ~t2;
    x[132u] = i64(u64(__popcll(u64(t0))));
    y[133u] = u64(__popcll(t2));
    x[134u] = i64(u64(__clzll(i64(u64(t0)))));
    y[135u] = u64(__clzll(i64(t2)));
    x[136u] = i64(u64(__popcll(u64(i64(u64(t0 & i64(0 - u64(t0))) - u64(1ll))))));
    y[137u] = u64(__popcll((t2 & -t2) - 1ull));
    x[138u] = i64(__brevll(u64(t0)));
    y[139u] = __brevll(t2);
    x[140u] = i64(y[0u]);
    const float t8 = float(t0);
    y[141u] = t8 >= 1.8446744e+19f ? 18446744073709551615ull : (t8 > 0.0f ? u64(t8) : 0ull);
    const float t9 = float(t2);
    x[142u] = t9 >= 9.223372e+18f ? 9223372036854775807ll : (t9 > -9.223372e+18f ? i64(t9) : (t9 <= -9.223372e+18f ? (-9223372036854775807ll - 1) : 0ll));
    x[143u] = i64(t2);
    x[144u] = t0 < t1 ? 7ll : -7ll;
    const i64x2 t10 = i64x2(t0, t1);
    x[145u] = (t10 * t10 + -t10).y;
}
