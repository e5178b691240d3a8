#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_x { int64_t data[]; } x;
layout(set = 0, binding = 1, scalar) buffer Block_y { uint64_t data[]; } y;

uint vd_div_digit(uint high, uint next, uint upper, uint lower) {
    uint digit = high / upper;
    uint rest = high - digit * upper;
    if (digit > 65535u || digit * lower > (rest << 16 | next)) {
        digit -= 1u;
        rest += upper;
        if (rest < 65536u && digit * lower > (rest << 16 | next)) digit -= 1u;
    }
    return digit;
}
uint64_t vd_div_u64(uint64_t a, uint64_t b) {
    uvec2 x = unpackUint2x32(a);
    uvec2 y = unpackUint2x32(b);
    bool wide = y.y != 0u;
    if (!wide && x.y == 0u) return uint64_t(x.x / y.x);
    uint shift = uint(31 - findMSB(wide ? y.y : y.x));
    uint by = wide ? unpackUint2x32(b << shift).y : y.x << shift;
    uint first = wide ? 0u : x.y / y.x;
    uvec2 dividend = wide ? unpackUint2x32(a >> 1) : unpackUint2x32(packUint2x32(uvec2(x.x, x.y - first * y.x)) << shift);
    uint upper = by >> 16;
    uint lower = by & 65535u;
    uint high = vd_div_digit(dividend.y, dividend.x >> 16, upper, lower);
    uint rest = (dividend.y << 16 | dividend.x >> 16) - high * by;
    uint low = vd_div_digit(rest, dividend.x & 65535u, upper, lower);
    uint quotient = (high << 16) + low;
    if (!wide) return packUint2x32(uvec2(quotient, first));
    quotient >>= 31u - shift;
    if (quotient != 0u) quotient -= 1u;
    if (a - quotient * b >= b) quotient += 1u;
    return uint64_t(quotient);
}
int64_t vd_div_i64(int64_t a, int64_t b) {
    uint64_t a_sign = uint64_t(a >> 63);
    uint64_t b_sign = uint64_t(b >> 63);
    uint64_t sign = a_sign ^ b_sign;
    uint64_t quotient = vd_div_u64((uint64_t(a) ^ a_sign) - a_sign, (uint64_t(b) ^ b_sign) - b_sign);
    return int64_t((quotient ^ sign) - sign);
}
uint64_t vd_rem_u64(uint64_t a, uint64_t b) {
    return a - vd_div_u64(a, b) * b;
}
void main() {
    const int64_t t0 = x.data[gl_GlobalInvocationID.x];
    const uint t1 = gl_GlobalInvocationID.x + 1u;
    const int64_t t2 = x.data[t1];
    const uint64_t t3 = y.data[gl_GlobalInvocationID.x];
    const uint64_t t4 = y.data[t1];
    x.data[100u] = int64_t(uint64_t(t0) + uint64_t(t2));
    y.data[101u] = t3 + t4;
    x.data[102u] = int64_t(uint64_t(t0) - uint64_t(t2));
    y.data[103u] = t3 - t4;
    x.data[104u] = int64_t(uint64_t(t0) * uint64_t(t2));
    y.data[105u] = t3 * t4;
    const int64_t t5 = t2 == 0l || (t0 == (-9223372036854775807l - 1) && t2 == -1l) ? 1l : t2;
    const int64_t t6 = vd_div_i64(t0, t5);
    const int64_t t7 = int64_t(uint64_t(t0) - uint64_t(int64_t(uint64_t(t6) * uint64_t(t5))));
    x.data[106u] = t6;
    const uint64_t t8 = t4 == 0ul ? 1ul : t4;
    const uint64_t t9 = vd_div_u64(t3, t8);
    y.data[107u] = t9;
    x.data[108u] = t7;
    y.data[109u] = vd_rem_u64(t3, t8);
    x.data[110u] = t7 != 0l && (t7 ^ t2) < 0l ? int64_t(uint64_t(t6) - uint64_t(1l)) : t6;
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
    x.data[120u] = int64_t(uint64_t(t0) << t10);
    const uint64_t t11 = t4 & 63ul;
    y.data[121u] = t3 << t11;
    x.data[122u] = t0 >> t10;
    y.data[123u] = t3 >> t11;
    x.data[124u] = int64_t(-uint64_t(t0));
    y.data[125u] = -t3;
    x.data[126u] = int64_t(uint64_t(t0) - (uint64_t(min(t0, 0l)) << 1ul));
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
    const uint64_t t16 = uint64_t(int64_t(uint64_t(t0 & int64_t(-uint64_t(t0))) - uint64_t(1l)));
    x.data[136u] = int64_t(uint64_t(uint(bitCount(uint(t16))) + uint(bitCount(uint(t16 >> 32ul)))));
    const uint64_t t17 = (t3 & -t3) - 1ul;
    y.data[137u] = uint64_t(uint(bitCount(uint(t17))) + uint(bitCount(uint(t17 >> 32ul))));
    const uint64_t t18 = uint64_t(t0);
    x.data[138u] = int64_t((uint64_t(bitfieldReverse(uint(t18))) << 32ul) | uint64_t(bitfieldReverse(uint(t18 >> 32ul))));
    y.data[139u] = (uint64_t(bitfieldReverse(uint(t3))) << 32ul) | uint64_t(bitfieldReverse(uint(t3 >> 32ul)));
    x.data[140u] = int64_t(y.data[0u]);
    const float t19 = float(t0);
    const uint t20 = uint(t19 * 2.3283064e-10);
    y.data[141u] = t19 >= 1.8446744e+19 ? 18446744073709551615ul : (t19 > 0.0 ? (uint64_t(t20) << 32ul) | uint64_t(uint(t19 - float(t20) * 4294967300.0)) : 0ul);
    const float t21 = float(t3);
    const float t22 = abs(t21);
    const uint t23 = uint(t22 * 2.3283064e-10);
    const int64_t t24 = int64_t((uint64_t(t23) << 32ul) | uint64_t(uint(t22 - float(t23) * 4294967300.0)));
    const int64_t t25 = t21 >= 9.223372e+18 ? 9223372036854775807l : (t21 > -9.223372e+18 ? (t21 < 0.0 ? int64_t(-uint64_t(t24)) : t24) : (t21 <= -9.223372e+18 ? (-9223372036854775807l - 1) : 0l));
    x.data[142u] = t25;
    x.data[143u] = int64_t(t3);
    x.data[144u] = t0 < t2 ? 7l : -7l;
    const i64vec2 t26 = i64vec2(t0, t2);
    x.data[145u] = i64vec2(u64vec2(i64vec2(u64vec2(t26) * u64vec2(t26))) + u64vec2(i64vec2(-u64vec2(t26)))).y;
}
