#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) readonly buffer Block_x { float data[]; } x;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    const int t1 = max(min(t0 >= 2147483600.0 ? 2147483647 : (t0 > -2147483600.0 ? int(t0) : (t0 <= -2147483600.0 ? (-2147483647 - 1) : 0)), 32767), -32768);
    debugPrintfEXT("\"%d\" is 100%% of %f\\\n", t1, t0);
    const float t2 = abs(t0);
    const uint t3 = uint(t2 * 2.3283064e-10);
    const int64_t t4 = int64_t((uint64_t(t3) << 32ul) | uint64_t(uint(t2 - float(t3) * 4294967300.0)));
    const int64_t t5 = t0 >= 9.223372e+18 ? 9223372036854775807l : (t0 > -9.223372e+18 ? (t0 < 0.0 ? int64_t(-uint64_t(t4)) : t4) : (t0 <= -9.223372e+18 ? (-9223372036854775807l - 1) : 0l));
    const uint t6 = uint(t0 * 2.3283064e-10);
    debugPrintfEXT("%ld|%-5lu|%d|%f%%\n", t5, t0 >= 1.8446744e+19 ? 18446744073709551615ul : (t0 > 0.0 ? (uint64_t(t6) << 32ul) | uint64_t(uint(t0 - float(t6) * 4294967300.0)) : 0ul), t1, t0);
    if (!(t0 > 0.0)) {
        debugPrintfEXT("assertion failed: must be positive (user.py:3)\n");
    }
}
