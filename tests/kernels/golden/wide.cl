__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float* y_memory, ulong y_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float* const y = (__global float*)((__global uchar*)y_memory + y_offset);
    __local float tile[256] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    const uint t0 = global_id_x * 4u;
    const float4 t1 = *(__global float4*)&x[t0];
    *(__global float4*)&y[t0] = t1 * t1;
    const uint t2 = t0 + 1u;
    const float2 t3 = (float2)(x[t2], x[t2 + 1]);
    y[t2] = t3.x;
    y[t2 + 1] = t3.y;
    tile[local_id_x] = *(__global volatile float*)&x[global_id_x];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    y[0u] = (*(__local float4*)&tile[8u]).w;
    const float2 t4 = ((__global float2*)x)[0u];
    const float2 t5 = ((__global float2*)x)[global_id_x];
    ((__global float2*)x)[global_id_x] = (float2)(t5.x + t4.x, t5.y + t4.y);
    y[5u] = as_float(((__global uint4*)y)[1u].z);
}
