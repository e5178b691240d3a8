__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float4* v_memory, ulong v_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float4* const v = (__global float4*)((__global uchar*)v_memory + v_offset);
    __local float row[4] __attribute__((aligned(16)));
    const uint local_id_x = (uint)get_local_id(0);
    const ulong t0 = (ulong)local_id_x;
    const long t1 = (long)local_id_x;
    row[t0] = x[t0 + 8UL];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    float a_0 = 0.0f;
    float a_1 = 0.0f;
    float a_2 = 0.0f;
    float a_3 = 0.0f;
    const float t2 = row[t1];
    a_2 = t2;
    ((__global float*)&v[t1])[t0] = t2;
    x[0UL] = v[9L].w;
}
