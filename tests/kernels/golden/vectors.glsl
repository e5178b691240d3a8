#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_p { vec3 data[]; } p;
layout(set = 0, binding = 1, scalar) writeonly buffer Block_q { vec4 data[]; } q;
layout(set = 0, binding = 2, scalar) buffer Block_m { uvec3 data[]; } m;
layout(set = 0, binding = 3, scalar) readonly buffer Block_only_read { vec3 data[]; } only_read;
layout(push_constant, scalar) uniform Block_values {
    layout(offset = 0) vec3 k;
} values;

void main() {
    const vec3 t0 = p.data[gl_GlobalInvocationID.x];
    p.data[gl_GlobalInvocationID.x] = t0 * values.k + vec3(2.0);
    q.data[gl_GlobalInvocationID.x] = vec4(t0.z, t0.y, t0.x, t0.x);
    q.data[gl_GlobalInvocationID.x].w = values.k.y;
    p.data[gl_GlobalInvocationID.x].z = p.data[0u].y;
    p.data[gl_GlobalInvocationID.x][gl_LocalInvocationID.x] = t0.x;
    const bvec3 t1 = lessThan(t0, values.k);
    p.data[1u] = mix(floor(t0), t0, t1);
    const bvec3 t2 = equal(uvec3(t1) & uvec3(notEqual(t0, t0)), uvec3(1u));
    if (t2.x || t2.y || t2.z) {
        const uvec3 t3 = mix(mix(uvec3(0u), uvec3(t0), greaterThan(t0, vec3(0.0))), uvec3(4294967295u), greaterThanEqual(t0, vec3(4294967300.0))) << (uvec3(gl_LocalInvocationID.x) & uvec3(31u));
        m.data[gl_GlobalInvocationID.x] = t3;
    }
    m.data[1u] = gl_GlobalInvocationID;
    m.data[2u] = min(m.data[0u], uvec3(9u));
    p.data[2u].x = only_read.data[gl_GlobalInvocationID.x][gl_LocalInvocationID.x];
}
