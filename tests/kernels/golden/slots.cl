#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 2, 1)))
void vkdispatch_main(__global const float* x_memory, ulong x_offset, __global float* y_memory, ulong y_offset, __global uint* n_memory, ulong n_offset) {
    __global const float* const x = (__global const float*)((__global const uchar*)x_memory + x_offset);
    __global float* const y = (__global float*)((__global uchar*)y_memory + y_offset);
    __global uint* const n = (__global uint*)((__global uchar*)n_memory + n_offset);
    __local uchar vd_shared[1056] __attribute__((aligned(16)));
    __local float* const first = (__local float*)(vd_shared + 0);
    __local float2* const second = (__local float2*)(vd_shared + 0);
    __local int* const third = (__local int*)(vd_shared + 1024);
    __local double* const wide = (__local double*)(vd_shared + 1040);
    const uint local_id_y = (uint)get_local_id(1);
    const uint local_id_x = (uint)get_local_id(0);
    const uint global_id_x = (uint)get_global_id(0);
    const uint t0 = local_id_y * 32u + local_id_x;
    first[t0] = x[global_id_x];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    float sum = 0.0f;
    const float t1 = 0.0f + first[0u];
    sum = t1;
    const float t2 = t1 + first[1u];
    sum = t2;
    const float t3 = t2 + first[2u];
    sum = t3;
    const float t4 = t3 + first[3u];
    sum = t4;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    second[t0] = (float2)(t4, 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const uint t5 = t0 * 4u;
    *(__global float4*)&((__global float*)y)[t5] = *(__local float4*)&((__local float*)second)[t5];
    atomic_max(&third[1u], -4);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atomic_add(&n[0u], 1u);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    wide[1u] = 2.5;
    y[1u] = (float)(2.5 + (double)third[1u]);
}
