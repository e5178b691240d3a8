typedef unsigned int uint;
struct Block_values {
    uint n;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(int* out, const Block_values values) {
    uint float_1 = 0u;
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    int total = 0;
    for (uint i = 0u; i < values.n; i += 2u) {
        if (i == 4u) {
            continue;
        } else if (total > 100) {
            break;
        } else {
            total = int(uint(total) + uint(int(i)));
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
    const int t0 = int(values.n);
    #pragma unroll
    for (int i_1 = 9; i_1 > 0; i_1 += -3) {
        total = int(uint(total) + uint(i_1));
    }
    #pragma unroll 4
    for (int i_2 = 0; (t0 > 0 ? i_2 < 8 : i_2 > 8); i_2 += t0) {
        total = int(uint(total) - uint(i_2));
    }
    while (true) {
        const int t1 = total;
        if (!(int(uint(t1) * uint(t1)) < 50)) break;
        total = int(uint(total) + uint(1));
    }
    {
        out[global_id_x] = int(uint(total) + uint(int(float_1)));
    }
    return;
}
