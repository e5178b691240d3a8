#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { int64_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { uint64_t data[]; } y;

void main() {
    const int64_t t0 = x.data[gl_GlobalInvocationID.x];
    const int64_t t1 = x.data[gl_GlobalInvocationID.x + 1u];
    const uint64_t t2 = y.data[gl_GlobalInvocationID.x];
    const uint64_t t3 = y.data[gl_GlobalInvocationID.x + 1u];
    x.data[100u] = t0 + t1;
    y.data[101u] = t2 + t3;
    x.data[102u] = t0 - t1;
    y.data[103u] = t2 - t3;
    x.data[104u] = t0 * t1;
    y.data[105u] = t2 * t3;
    x.data[106u] = t0 / (t1 == 0l || (t1 == -1l && t0 == (-9223372036854775807l - 1)) ? 1l : t1);
    y.data[107u] = t2 / max(t3, 1ul);
    const int64_t t4 = t1 == 0l || (t1 == -1l && t0 == (-9223372036854775807l - 1)) ? 1l : t1;
    x.data[108u] = t0 - t0 / t4 * t4;
    y.data[109u] = t2 % max(t3, 1ul);
    const int64_t t5 = t1 == 0l || (t1 == -1l && t0 == (-9223372036854775807l - 1)) ? 1l : t1;
    const int64_t t6 = t0 / t5;
    const int64_t t7 = t0 - t6 * t5;
    x.data[110u] = t7 != 0l && (t7 ^ t5) < 0l ? t6 - 1l : t6;
    y.data[111u] = t2 / max(t3, 1ul);
    x.data[112u] = min(t0, t1);
    y.data[113u] = min(t2, t3);
    x.data[114u] = max(t0, t1);
    y.data[115u] = max(t2, t3);
    x.data[116u] = t0 & t1;
    y.data[117u] = t2 & t3;
    x.data[118u] = t0 ^ t1;
    y.data[119u] = t2 ^ t3;
    x.data[120u] = t0 << (t1 & 63l);
    y.data[121u] = t2 << (t3 & 63ul);
    x.data[122u] = t0 >> (t1 & 63l);
    y.data[123u] = t2 >> (t3 & 63ul);
    x.data[124u] = -t0;
    y.data[125u] = -t2;
    x.data[126u] = abs(t0);
    y.data[127u] = t2;
    x.data[128u] = 0l < t0 ? 1l : (t0 < 0l ? -1l : 0l);
    y.data[129u] = 0ul < t2 ? 1ul : 0ul;
    x.data[130u] = ~t0;
    y.data[131u] = ~t2;
    const uint64_t t8 = uint64_t(t0);
    x.data[132u] = int64_t(uint64_t(uint(bitCount(uint(t8))) + uint(bitCount(uint(t8 >> 32ul)))));
    y.data[133u] = uint64_t(uint(bitCount(uint(t2))) + uint(bitCount(uint(t2 >> 32ul))));
    const uint64_t t9 = uint64_t(t0);
    const uint t10 = uint(t9 >> 32ul);
    x.data[134u] = int64_t(uint64_t(t10 == 0u ? uint(31 - findMSB(uint(t9))) + 32u : uint(31 - findMSB(t10))));
    const uint t11 = uint(t2 >> 32ul);
    y.data[135u] = uint64_t(t11 == 0u ? uint(31 - findMSB(uint(t2))) + 32u : uint(31 - findMSB(t11)));
    const uint64_t t12 = uint64_t((t0 & -t0) - 1l);
    x.data[136u] = int64_t(uint64_t(uint(bitCount(uint(t12))) + uint(bitCount(uint(t12 >> 32ul)))));
    const uint64_t t13 = (t2 & -t2) - 1ul;
    y.data[137u] = uint64_t(uint(bitCount(uint(t13))) + uint(bitCount(uint(t13 >> 32ul))));
    const uint64_t t14 = uint64_t(t0);
    x.data[138u] = int64_t((uint64_t(bitfieldReverse(uint(t14))) << 32ul) | uint64_t(bitfieldReverse(uint(t14 >> 32ul))));
    y.data[139u] = (uint64_t(bitfieldReverse(uint(t2))) << 32ul) | uint64_t(bitfieldReverse(uint(t2 >> 32ul)));
    x.data[140u] = int64_t(y.data[0u]);
    const float t15 = float(t0);
    y.data[141u] = t15 >= 1.8446744e+19 ? 18446744073709551615ul : (t15 > 0.0 ? uint64_t(t15) : 0ul);
    const float t16 = float(t2);
    x.data[142u] = t16 >= 9.223372e+18 ? 9223372036854775807l : (t16 > -9.223372e+18 ? int64_t(t16) : (t16 <= -9.223372e+18 ? (-9223372036854775807l - 1) : 0l));
    x.data[143u] = int64_t(t2);
    x.data[144u] = t0 < t1 ? 7l : -7l;
    const i64vec2 t17 = i64vec2(t0, t1);
    x.data[145u] = (t17 * t17 + -t17).y;
}
