#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset, __global float* v_memory, ulong v_offset, __global half* h_memory, ulong h_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    __global float* const v = (__global float*)((__global uchar*)v_memory + v_offset);
    __global half* const h = (__global half*)((__global uchar*)h_memory + h_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = x[global_id_x];
    x[100u] = exp(t0);
    x[101u] = exp2(t0);
    x[102u] = log(t0);
    x[103u] = log2(t0);
    x[104u] = sin(t0);
    x[105u] = cos(t0);
    x[106u] = tan(t0);
    x[107u] = asin(t0);
    x[108u] = acos(t0);
    x[109u] = atan(t0);
    x[110u] = sinh(t0);
    x[111u] = cosh(t0);
    x[112u] = tanh(t0);
    x[113u] = asinh(t0);
    x[114u] = acosh(t0);
    x[115u] = atanh(t0);
    x[116u] = pow(t0, 1.5f);
    x[117u] = atan2(t0, 1.5f);
    vstore3(sin(vload3(global_id_x, v)), global_id_x, v);
    h[global_id_x] = exp(h[global_id_x]);
}
