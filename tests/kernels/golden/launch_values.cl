#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef struct {
    float values;
    float v[3];
    double w;
    float h[4];
    uint exec_size[3];
    int x_shape[4];
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, const Block_values values_1) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    const uint global_id_x = (uint)get_global_id(0);
    if (global_id_x < values_1.exec_size[0] && (int)global_id_x < values_1.x_shape[3]) {
        x[global_id_x] = values_1.values * values_1.v[2] + (vload4(0, values_1.h) * vload4(0, values_1.h)).y;
    }
    x[0u] = (float)values_1.w;
}
