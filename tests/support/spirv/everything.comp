#version 450
#extension GL_KHR_shader_subgroup_basic : require
// One of each thing that a module of SPIR-V can say. everything.inc has its words:
// glslangValidator --target-env vulkan1.1 -V -x -o everything.inc everything.comp
layout(local_size_x_id = 10, local_size_y = 2) in;
layout(constant_id = 0) const int steps = -3;
layout(constant_id = 1) const float gain = 0.5;
layout(constant_id = 2) const bool negate = true;
layout(constant_id = 3) const uint parts = 4;
layout(set = 0, binding = 0) readonly buffer In { float from[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint count; float to[]; };
layout(set = 0, binding = 2, std140) uniform Shape { uvec4 size; float bias; };
layout(set = 0, binding = 3) uniform sampler2D photo;
layout(set = 0, binding = 4, rgba8) uniform writeonly image2DArray picture;
layout(set = 0, binding = 5) buffer Unused { uint unused[]; };
layout(set = 1, binding = 0, r32ui) uniform uimage3D volume[2];
layout(push_constant) uniform Push { uint first; vec2 scale; float spare; };
shared vec4 part[parts];

void main() {
  const uint i = gl_GlobalInvocationID.x + first;
  part[gl_LocalInvocationIndex % parts] = vec4(from[i]);
  barrier();
  float sum = bias + gain * float(steps) + textureLod(photo, scale, 0.0).x;
  if (negate) sum = -sum;
  to[i] = sum + part[0].x + float(gl_SubgroupSize);
  count = size.x;
  imageStore(picture, ivec3(i, 0, 1), vec4(sum));
  imageAtomicAdd(volume[1], ivec3(i), 1u);
}
