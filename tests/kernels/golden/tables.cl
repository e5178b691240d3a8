#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct {
    float2 c[2];
} f32m2x2;
__constant float2 table[3] = {(float2)(1.0f, 0.0f), (float2)(0.5f, -0.5f), (float2)(0.0f, -1.0f)};
__constant half2 table_1[2] = {(half2)(1.0h, 2.0h), (half2)(3.0h, 4.0h)};
__constant f32m2x2 table_2[2] = {(f32m2x2){{(float2)(1.0f, 2.0f), (float2)(3.0f, 4.0f)}}, (f32m2x2){{(float2)(5.0f, 6.0f), (float2)(7.0f, 8.0f)}}};

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float2* z_memory, ulong z_offset, __global half2* h_memory, ulong h_offset, __global float* x_memory, ulong x_offset) {
    __global float2* const z = (__global float2*)((__global uchar*)z_memory + z_offset);
    __global half2* const h = (__global half2*)((__global uchar*)h_memory + h_offset);
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    const uint local_id_x = (uint)get_local_id(0);
    z[local_id_x] = table[local_id_x];
    h[local_id_x] = table_1[local_id_x];
    x[local_id_x] = table_2[local_id_x].c[1].x;
}
