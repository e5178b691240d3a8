#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global double* x_memory, ulong x_offset, __global float* y_memory, ulong y_offset) {
    __global double* const x = (__global double*)((__global uchar*)x_memory + x_offset);
    __global float* const y = (__global float*)((__global uchar*)y_memory + y_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const double t0 = x[global_id_x];
    x[1u] = t0 * 0.1 + (double)y[global_id_x];
    x[2u] = sqrt(fabs(t0));
    x[3u] = fmax(t0, as_double(0x7ff0000000000000UL));
    x[4u] = (double)((as_ulong(t0) & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL ? 0 : convert_int_sat(t0));
    x[5u] = (double)((as_ulong(t0) & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL ? 0u : convert_uint_sat(t0));
    y[global_id_x] = (float)t0;
}
