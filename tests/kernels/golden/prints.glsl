#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) readonly buffer Block_x { float data[]; } x;

void main() {
    const float t0 = x.data[gl_GlobalInvocationID.x];
    const int16_t t1 = int16_t(max(min(t0 >= 2147483600.0 ? 2147483647 : (t0 > -2147483600.0 ? int(t0) : (t0 <= -2147483600.0 ? (-2147483647 - 1) : 0)), 32767), -32768));
    debugPrintfEXT("\"%d\" is 100%% of %f\\\n", int(t1), t0);
    debugPrintfEXT("%ld|%-5lu|%d|%f%%\n", t0 >= 9.223372e+18 ? 9223372036854775807l : (t0 > -9.223372e+18 ? int64_t(t0) : (t0 <= -9.223372e+18 ? (-9223372036854775807l - 1) : 0l)), t0 >= 1.8446744e+19 ? 18446744073709551615ul : (t0 > 0.0 ? uint64_t(t0) : 0ul), int(t1), t0);
    if (!(t0 > 0.0)) {
        debugPrintfEXT("assertion failed: must be positive (user.py:3)\n");
    }
}
