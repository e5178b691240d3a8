__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const float t0 = 6.0f / (5.0f / (4.0f / (3.0f / (2.0f / (x[global_id_x] + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f);
    const float t1 = 11.0f / (10.0f / (9.0f / (8.0f / (7.0f / (t0 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f;
    const float t2 = 17.0f / (16.0f / (15.0f / (14.0f / (13.0f / (12.0f / t1 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f);
    const float t3 = 22.0f / (21.0f / (20.0f / (19.0f / (18.0f / (t2 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f;
    const float t4 = 28.0f / (27.0f / (26.0f / (25.0f / (24.0f / (23.0f / t3 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f);
    const float t5 = 33.0f / (32.0f / (31.0f / (30.0f / (29.0f / (t4 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f;
    const float t6 = 39.0f / (38.0f / (37.0f / (36.0f / (35.0f / (34.0f / t5 + 1.0f) + 1.0f) + 1.0f) + 1.0f) + 1.0f);
    x[global_id_x] = 41.0f / (40.0f / (t6 + 1.0f) + 1.0f);
}
