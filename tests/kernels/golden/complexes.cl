__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float2* x_memory, ulong x_offset, __global float* f_memory, ulong f_offset) {
    __global float2* const x = (__global float2*)((__global uchar*)x_memory + x_offset);
    __global float* const f = (__global float*)((__global uchar*)f_memory + f_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float2 t0 = x[global_id_x];
    const float2 t1 = x[1u];
    x[global_id_x] = (float2)(t0.x + t1.x - -t0.y, t0.y + t1.y - -t1.x);
    ((__global float*)&x[3u])[1] = f[global_id_x];
    f[1u] = ((__global float*)&x[global_id_x >> 1u])[global_id_x & 1u];
    f[2u] = (float)(t0.x == t1.x && t0.y == t1.y);
    x[4u] = (float2)(1.0f, 0.0f);
    x[5u] = (float2)(0.0f, 0.0f);
}
