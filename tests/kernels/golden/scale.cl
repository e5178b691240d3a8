typedef struct {
    float alpha;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global const float* x_memory, ulong x_offset, __global float* out_memory, ulong out_offset, const Block_values values) {
    __global const float* const x = (__global const float*)((__global const uchar*)x_memory + x_offset);
    __global float* const out = (__global float*)((__global uchar*)out_memory + out_offset);
    const uint global_id_x = (uint)get_global_id(0);
    out[global_id_x] = values.alpha * x[global_id_x] + 0.5f;
}
