__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    const float t0 = x[0u];
    x[0u] = x[1u];
    x[1u] = t0;
    const float t1 = t0 + 1.0f;
    x[2u] = t1 * t1;
}
