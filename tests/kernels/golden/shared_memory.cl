__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global const float* x_memory, ulong x_offset, __global float* y_memory, ulong y_offset) {
    __global const float* const x = (__global const float*)((__global const uchar*)x_memory + x_offset);
    __global float* const y = (__global float*)((__global uchar*)y_memory + y_offset);
    __local float tile[64] __attribute__((aligned(16)));
    __local float points[24] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    tile[local_id_x] = x[global_id_x];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    y[global_id_x] = tile[local_id_x ^ 1u];
    vstore3((float3)(tile[0u]), 1u, points);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    y[0u] = x[3u] + vload3(1u, points).z;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    y[1u] = (float)local_id_x;
}
