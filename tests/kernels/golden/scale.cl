typedef struct {
    float alpha;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global const float* x, __global float* out, const Block_values values) {
    const uint global_id_x = (uint)get_global_id(0);
    out[global_id_x] = values.alpha * x[global_id_x] + 0.5f;
}
