typedef struct {
    float position[3];
    float mass;
    float float_1[2];
    int tags[3];
} Body;
typedef struct {
    Body ref;
} Block_values;

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void vkdispatch_main(__global Body* bodies_memory, ulong bodies_offset, const Block_values values) {
    __global Body* const bodies = (__global Body*)((__global uchar*)bodies_memory + bodies_offset);
    const uint global_id_x = (uint)get_global_id(0);
    const uint local_id_x = (uint)get_local_id(0);
    vstore3(vload3(0, bodies[global_id_x].position) + vload3(0, values.ref.position), 0, bodies[global_id_x].position);
    vstore2(vload2(0, values.ref.float_1), 0, bodies[global_id_x].float_1);
    bodies[global_id_x].float_1[1] = bodies[global_id_x].mass;
    bodies[global_id_x].tags[2u] = values.ref.tags[local_id_x & 1u];
    Body copy = bodies[global_id_x];
    copy.mass = 1.0f;
    bodies[0u] = copy;
    const float t0 = *(__global volatile float*)&bodies[2u].position[1];
    const float t1 = *(__global volatile float*)&bodies[2u].position[2];
    const float t2 = *(__global volatile float*)&bodies[2u].mass;
    const float t3 = *(__global volatile float*)&bodies[2u].float_1[0];
    const float t4 = *(__global volatile float*)&bodies[2u].float_1[1];
    const int t5 = *(__global volatile int*)&bodies[2u].tags[0u];
    const int t6 = *(__global volatile int*)&bodies[2u].tags[1u];
    const int t7 = *(__global volatile int*)&bodies[2u].tags[2u];
    *(__global volatile float*)&bodies[1u].position[0] = *(__global volatile float*)&bodies[2u].position[0];
    *(__global volatile float*)&bodies[1u].position[1] = t0;
    *(__global volatile float*)&bodies[1u].position[2] = t1;
    *(__global volatile float*)&bodies[1u].mass = t2;
    *(__global volatile float*)&bodies[1u].float_1[0] = t3;
    *(__global volatile float*)&bodies[1u].float_1[1] = t4;
    *(__global volatile int*)&bodies[1u].tags[0u] = t5;
    *(__global volatile int*)&bodies[1u].tags[1u] = t6;
    *(__global volatile int*)&bodies[1u].tags[2u] = t7;
}
