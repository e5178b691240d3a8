#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct Body {
    vec3 position;
    float mass;
    vec2 float_1;
    int tags[3];
};
layout(set = 0, binding = 0, scalar) buffer Block_bodies { Body data[]; } bodies;
layout(set = 0, binding = 0, scalar) coherent buffer Block_bodies_as_Body_coherent { Body data[]; } bodies_as_Body_coherent;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) Body ref;
} values;

void main() {
    bodies.data[gl_GlobalInvocationID.x].position = bodies.data[gl_GlobalInvocationID.x].position + values.ref.position;
    bodies.data[gl_GlobalInvocationID.x].float_1 = values.ref.float_1;
    bodies.data[gl_GlobalInvocationID.x].float_1.y = bodies.data[gl_GlobalInvocationID.x].mass;
    bodies.data[gl_GlobalInvocationID.x].tags[2u] = values.ref.tags[gl_LocalInvocationID.x & 1u];
    Body copy = bodies.data[gl_GlobalInvocationID.x];
    copy.mass = 1.0;
    bodies.data[0u] = copy;
    bodies_as_Body_coherent.data[1u] = bodies_as_Body_coherent.data[2u];
}
