__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global const float* x_memory, ulong x_offset) {
    __global const float* const x = (__global const float*)((__global const uchar*)x_memory + x_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = x[global_id_x];
    const int t1 = max(min((as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0 : convert_int_sat(t0), 32767), -32768);
    printf("\"%d\" is 100%% of %f\\\n", t1, t0);
    printf("%ld|%-5lu|%d|%f%%\n", (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0L : convert_long_sat(t0), (as_uint(t0) & 0x7fffffffu) > 0x7f800000u ? 0UL : convert_ulong_sat(t0), t1, t0);
    if (!(t0 > 0.0f)) {
        printf("assertion failed: must be positive (user.py:3)\n");
    }
}
