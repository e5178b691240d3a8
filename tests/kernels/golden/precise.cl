#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float4* v_memory, ulong v_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float4* const v = (__global float4*)((__global uchar*)v_memory + v_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = x[global_id_x];
    const float t1 = x[global_id_x + 1u];
    x[global_id_x] = t0 * t1 + t0;
    x[1u] = t0 * t0 - t1;
    v[global_id_x] = v[global_id_x] * v[0u] + v[1u];
    x[2u] = t0 / sqrt(t1);
    x[3u] = fma(t0, t1, rsqrt(t1));
}
