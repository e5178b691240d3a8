#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global half* x_memory, ulong x_offset, __global half4* y_memory, ulong y_offset, __global float* z_memory, ulong z_offset) {
    __global half* const x = (__global half*)((__global uchar*)x_memory + x_offset);
    __global half4* const y = (__global half4*)((__global uchar*)y_memory + y_offset);
    __global float* const z = (__global float*)((__global uchar*)z_memory + z_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const half t0 = x[global_id_x];
    const half4 t1 = y[global_id_x];
    x[global_id_x] = t0 * t0 + 0.5h;
    x[1u] = t0 / sqrt(t0);
    x[2u] = (half)z[global_id_x];
    x[3u] = t0 < 1.0h ? (half)global_id_x : as_half((ushort)0x7c00);
    y[global_id_x] = fmax(t1 * t1, -t1);
    z[global_id_x] = (float)t0;
    z[1u] = (float)((as_ushort(t0) & 0x7fff) > 0x7c00 ? 0 : convert_int_sat(t0));
}
