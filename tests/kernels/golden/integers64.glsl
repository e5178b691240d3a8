#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { int64_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { uint64_t data[]; } y;

void main() {
    const int64_t t0 = x.data[gl_GlobalInvocationID.x];
    const uint t1 = gl_GlobalInvocationID.x + 1u;
    const int64_t t2 = x.data[t1];
    const uint64_t t3 = y.data[gl_GlobalInvocationID.x];
    const uint64_t t4 = y.data[t1];
    x.data[100u] = t0 + t2;
    y.data[101u] = t3 + t4;
    x.data[102u] = t0 - t2;
    y.data[103u] = t3 - t4;
    x.data[104u] = t0 * t2;
    y.data[105u] = t3 * t4;
    const int64_t t5 = t2 == 0l || (t0 == (-9223372036854775807l - 1) && t2 == -1l) ? 1l : t2;
    const int64_t t6 = t0 / t5;
    const int64_t t7 = t0 - t6 * t5;
    x.data[106u] = t6;
    const uint64_t t8 = t4 == 0ul ? 1ul : t4;
    const uint64_t t9 = t3 / t8;
    y.data[107u] = t9;
    x.data[108u] = t7;
    y.data[109u] = t3 % t8;
    x.data[110u] = t6 - (t7 != 0l && (t7 ^ t2) < 0l ? 1l : 0l);
    y.data[111u] = t9;
    x.data[112u] = min(t0, t2);
    y.data[113u] = min(t3, t4);
    x.data[114u] = max(t0, t2);
    y.data[115u] = max(t3, t4);
    x.data[116u] = t0 & t2;
    y.data[117u] = t3 & t4;
    x.data[118u] = t0 ^ t2;
    y.data[119u] = t3 ^ t4;
    const int64_t t10 = t2 & 63l;
    x.data[120u] = t0 << t10;
    const uint64_t t11 = t4 & 63ul;
    y.data[121u] = t3 << t11;
    x.data[122u] = t0 >> t10;
    y.data[123u] = t3 >> t11;
    x.data[124u] = -t0;
    y.data[125u] = -t3;
    x.data[126u] = abs(t0);
    y.data[127u] = t3;
    x.data[128u] = t0 > 0l ? 1l : (t0 < 0l ? -1l : 0l);
    y.data[129u] = min(t3, 1ul);
    x.data[130u] = ~t0;
    y.data[131u] = ~t3;
    const uint64_t t12 = uint64_t(t0);
    x.data[132u] = int64_t(uint64_t(uint(bitCount(uint(t12))) + uint(bitCount(uint(t12 >> 32ul)))));
    y.data[133u] = uint64_t(uint(bitCount(uint(t3))) + uint(bitCount(uint(t3 >> 32ul))));
    const uint64_t t13 = uint64_t(t0);
    const uint t14 = uint(t13 >> 32ul);
    x.data[134u] = int64_t(uint64_t(t14 == 0u ? uint(31 - findMSB(uint(t13))) + 32u : uint(31 - findMSB(t14))));
    const uint t15 = uint(t3 >> 32ul);
    y.data[135u] = uint64_t(t15 == 0u ? uint(31 - findMSB(uint(t3))) + 32u : uint(31 - findMSB(t15)));
    const uint64_t t16 = uint64_t((t0 & -t0) - 1l);
    x.data[136u] = int64_t(uint64_t(uint(bitCount(uint(t16))) + uint(bitCount(uint(t16 >> 32ul)))));
    const uint64_t t17 = (t3 & -t3) - 1ul;
    y.data[137u] = uint64_t(uint(bitCount(uint(t17))) + uint(bitCount(uint(t17 >> 32ul))));
    const uint64_t t18 = uint64_t(t0);
    x.data[138u] = int64_t((uint64_t(bitfieldReverse(uint(t18))) << 32ul) | uint64_t(bitfieldReverse(uint(t18 >> 32ul))));
    y.data[139u] = (uint64_t(bitfieldReverse(uint(t3))) << 32ul) | uint64_t(bitfieldReverse(uint(t3 >> 32ul)));
    x.data[140u] = int64_t(y.data[0u]);
    const float t19 = float(t0);
    y.data[141u] = t19 >= 1.8446744e+19 ? 18446744073709551615ul : (t19 > 0.0 ? uint64_t(t19) : 0ul);
    const float t20 = float(t3);
    x.data[142u] = t20 >= 9.223372e+18 ? 9223372036854775807l : (t20 > -9.223372e+18 ? int64_t(t20) : (t20 <= -9.223372e+18 ? (-9223372036854775807l - 1) : 0l));
    x.data[143u] = int64_t(t3);
    x.data[144u] = t0 < t2 ? 7l : -7l;
    const i64vec2 t21 = i64vec2(t0, t2);
    x.data[145u] = (t21 * t21 + -t21).y;
}
