typedef struct {
    uint n;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global int* out_memory, ulong out_offset, const Block_values values) {
    __global int* const out = (__global int*)((__global uchar*)out_memory + out_offset);
    uint float_1 = 0u;
    const uint global_id_x = (uint)get_global_id(0);
    int total = 0;
    for (uint i = 0u; i < values.n; i += 2u) {
        if (i == 4u) {
            continue;
        } else {
            const int t0 = total;
            if (t0 > 100) {
                break;
            } else {
                total = as_int(as_uint(t0) + as_uint((int)i));
            }
        }
    }
    uint left = 10u;
    while (left > 0u) {
        left = left - 1u;
    }
    while (true) {
        const uint t1 = left;
        float_1 = t1;
        const uint t2 = t1 + 1u;
        float_1 = t2;
        if (t2 >= 1u) {
            break;
        }
    }
    const int t3 = (int)values.n;
    const int t4 = as_int(as_uint(total) + as_uint(9));
    total = t4;
    const int t5 = as_int(as_uint(t4) + as_uint(6));
    total = t5;
    total = as_int(as_uint(t5) + as_uint(3));
    int var0 = as_int(as_uint(0) - as_uint(t3));
    const bool t6 = t3 > 0;
    while (true) {
        const int t7 = as_int(as_uint(var0) + as_uint(t3));
        var0 = t7;
        if (!(t6 ? t7 < 8 : t7 > 8)) break;
        total = as_int(as_uint(total) - as_uint(var0));
    }
    while (true) {
        const int t8 = total;
        if (!(as_int(as_uint(t8) * as_uint(t8)) < 50)) break;
        total = as_int(as_uint(total) + as_uint(1));
    }
    {
        out[global_id_x] = as_int(as_uint(total) + as_uint((int)float_1));
    }
    return;
}
