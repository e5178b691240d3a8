__constant float table[4] = {1.0f, 2.5f, -3.0f, 4.0f};

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global float* x_memory, ulong x_offset) {
    __global float* const x = (__global float*)((__global uchar*)x_memory + x_offset);
    const uint local_id_x = (uint)get_local_id(0);
    float a[4];
    for (int k = 0; k < 4; ++k)
        a[k] = 0.0f;
    float grid_0[4];
    for (int k_1 = 0; k_1 < 4; ++k_1)
        grid_0[k_1] = 0.0f;
    float grid_1[4];
    for (int k_2 = 0; k_2 < 4; ++k_2)
        grid_1[k_2] = 0.0f;
    for (uint i = 0u; i < 4u; i += 1u) {
        a[i] = x[i];
        grid_1[i] = 1.0f;
    }
    float b[4];
    for (int k_3 = 0; k_3 < 4; ++k_3)
        b[k_3] = 0.0f;
    b[0u] = x[0u];
    b[1u] = 1.0f;
    b[2u] = 2.0f;
    b[3u] = 3.0f;
    x[9u] = a[local_id_x] + table[local_id_x];
    x[10u] = grid_0[local_id_x];
    x[11u] = b[2u];
}
