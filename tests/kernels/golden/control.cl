typedef struct {
    uint n;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global int* out, const Block_values values) {
    uint float_1 = 0u;
    const uint global_id_x = (uint)get_global_id(0);
    int total = 0;
    for (uint i = 0u; i < values.n; i += 2u) {
        if (i == 4u) {
            continue;
        } else if (total > 100) {
            break;
        } else {
            total = as_int(as_uint(total) + as_uint((int)i));
        }
    }
    uint left = 10u;
    while (left > 0u) {
        left = left - 1u;
    }
    while (true) {
        float_1 = left;
        float_1 = float_1 + 1u;
        if (float_1 >= 1u) {
            break;
        }
    }
    const int t0 = (int)values.n;
    #pragma unroll
    for (int i_1 = 9; i_1 > 0; i_1 += -3) {
        total = as_int(as_uint(total) + as_uint(i_1));
    }
    #pragma unroll 4
    for (int i_2 = 0; (t0 > 0 ? i_2 < 8 : i_2 > 8); i_2 += t0) {
        total = as_int(as_uint(total) - as_uint(i_2));
    }
    while (true) {
        const int t1 = total;
        if (!(as_int(as_uint(t1) * as_uint(t1)) < 50)) break;
        total = as_int(as_uint(total) + as_uint(1));
    }
    {
        out[global_id_x] = as_int(as_uint(total) + as_uint((int)float_1));
    }
    return;
}
