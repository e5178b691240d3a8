#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float2* p_memory, ulong p_offset, __global float4* q_memory, ulong q_offset, __global float2* x_memory, ulong x_offset, __global float* t_memory, ulong t_offset, __global float* m_memory, ulong m_offset, __global uint2* n_memory, ulong n_offset, __global half4* h_memory, ulong h_offset, __global float* f_memory, ulong f_offset) {
    __global float2* const p = (__global float2*)((__global uchar*)p_memory + p_offset);
    __global float4* const q = (__global float4*)((__global uchar*)q_memory + q_offset);
    __global float2* const x = (__global float2*)((__global uchar*)x_memory + x_offset);
    __global float* const t = (__global float*)((__global uchar*)t_memory + t_offset);
    __global float* const m = (__global float*)((__global uchar*)m_memory + m_offset);
    __global uint2* const n = (__global uint2*)((__global uchar*)n_memory + n_offset);
    __global half4* const h = (__global half4*)((__global uchar*)h_memory + h_offset);
    __global float* const f = (__global float*)((__global uchar*)f_memory + f_offset);
    __local float4 tile[64] __attribute__((aligned(16)));
    __local float2 pairs[64] __attribute__((aligned(16)));
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    ((__global float*)&p[global_id_x])[1] = 1.0f;
    ((__global float*)&q[global_id_x])[3] = q[global_id_x].z;
    ((__global float*)&q[global_id_x])[local_id_x] = 1.0f;
    ((__global float*)&x[global_id_x])[0] = 1.0f;
    t[3 * (global_id_x) + 2] = 1.0f;
    ((__global half*)&h[global_id_x])[1] = 1.0h;
    vstore2((float2)(1.0f), 2 * (global_id_x) + 1u, m);
    m[2 * (2 * (global_id_x) + 1u) + 0] = 1.0f;
    ((__local float*)&tile[local_id_x])[2] = 1.0f;
    ((__local float*)&pairs[local_id_x])[1] = 1.0f;
    ((__global float*)&((__global float4*)f)[global_id_x])[1] = 1.0f;
    ((__local float*)&((__local float2*)tile)[local_id_x])[1] = 1.0f;
    *(__global volatile float*)&((__global float*)&p[global_id_x])[0] = *(__global volatile float*)&((__global float*)&q[global_id_x])[1];
    p[0u] = (float2)(*(__global volatile float*)&((__global float*)&p[global_id_x])[0], *(__global volatile float*)&((__global float*)&p[global_id_x])[1]);
    *(__global volatile half*)&((__global half*)&h[global_id_x])[2] = *(__global volatile half*)&((__global half*)&h[global_id_x])[3];
    const float t0 = *(__global volatile float*)&m[2 * (2 * (0u) + 0u) + 1];
    const float t1 = *(__global volatile float*)&m[2 * (2 * (0u) + 1u) + 0];
    const float t2 = *(__global volatile float*)&m[2 * (2 * (0u) + 1u) + 1];
    *(__global volatile float*)&m[2 * (2 * (global_id_x) + 0u) + 0] = *(__global volatile float*)&m[2 * (2 * (0u) + 0u) + 0];
    *(__global volatile float*)&m[2 * (2 * (global_id_x) + 0u) + 1] = t0;
    *(__global volatile float*)&m[2 * (2 * (global_id_x) + 1u) + 0] = t1;
    *(__global volatile float*)&m[2 * (2 * (global_id_x) + 1u) + 1] = t2;
    atomic_add(&((__global uint*)&n[global_id_x])[1], 3u);
    float4 own = q[0u];
    own.y = 1.0f;
    q[1u] = own;
}
