#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, r8) readonly uniform image2D from_r8_unorm;
layout(set = 0, binding = 1, r8) writeonly uniform image2D to_r8_unorm;
layout(set = 0, binding = 2, r8ui) readonly uniform uimage2D from_r8_u8;
layout(set = 0, binding = 3, r8ui) writeonly uniform uimage2D to_r8_u8;
layout(set = 0, binding = 4, r8i) readonly uniform iimage2D from_r8_i8;
layout(set = 0, binding = 5, r8i) writeonly uniform iimage2D to_r8_i8;
layout(set = 0, binding = 6, rg8) readonly uniform image2D from_rg8_unorm;
layout(set = 0, binding = 7, rg8) writeonly uniform image2D to_rg8_unorm;
layout(set = 0, binding = 8, rg8ui) readonly uniform uimage2D from_rg8_u8;
layout(set = 0, binding = 9, rg8ui) writeonly uniform uimage2D to_rg8_u8;
layout(set = 0, binding = 10, rg8i) readonly uniform iimage2D from_rg8_i8;
layout(set = 0, binding = 11, rg8i) writeonly uniform iimage2D to_rg8_i8;
layout(set = 0, binding = 12, rgba8) readonly uniform image2D from_rgba8_unorm;
layout(set = 0, binding = 13, rgba8) writeonly uniform image2D to_rgba8_unorm;
layout(set = 0, binding = 14, rgba8ui) readonly uniform uimage2D from_rgba8_u8;
layout(set = 0, binding = 15, rgba8ui) writeonly uniform uimage2D to_rgba8_u8;
layout(set = 0, binding = 16, rgba8i) readonly uniform iimage2D from_rgba8_i8;
layout(set = 0, binding = 17, rgba8i) writeonly uniform iimage2D to_rgba8_i8;
layout(set = 0, binding = 18, r16ui) readonly uniform uimage2D from_r16_u16;
layout(set = 0, binding = 19, r16ui) writeonly uniform uimage2D to_r16_u16;
layout(set = 0, binding = 20, r16i) readonly uniform iimage2D from_r16_i16;
layout(set = 0, binding = 21, r16i) writeonly uniform iimage2D to_r16_i16;
layout(set = 0, binding = 22, r16f) readonly uniform image2D from_r16_f16;
layout(set = 0, binding = 23, r16f) writeonly uniform image2D to_r16_f16;
layout(set = 0, binding = 24, rg16ui) readonly uniform uimage2D from_rg16_u16;
layout(set = 0, binding = 25, rg16ui) writeonly uniform uimage2D to_rg16_u16;
layout(set = 0, binding = 26, rg16i) readonly uniform iimage2D from_rg16_i16;
layout(set = 0, binding = 27, rg16i) writeonly uniform iimage2D to_rg16_i16;
layout(set = 0, binding = 28, rg16f) readonly uniform image2D from_rg16_f16;
layout(set = 0, binding = 29, rg16f) writeonly uniform image2D to_rg16_f16;
layout(set = 0, binding = 30, rgba16ui) readonly uniform uimage2D from_rgba16_u16;
layout(set = 0, binding = 31, rgba16ui) writeonly uniform uimage2D to_rgba16_u16;
layout(set = 0, binding = 32, rgba16i) readonly uniform iimage2D from_rgba16_i16;
layout(set = 0, binding = 33, rgba16i) writeonly uniform iimage2D to_rgba16_i16;
layout(set = 0, binding = 34, rgba16f) readonly uniform image2D from_rgba16_f16;
layout(set = 0, binding = 35, rgba16f) writeonly uniform image2D to_rgba16_f16;
layout(set = 0, binding = 36, r32ui) readonly uniform uimage2D from_r32_u32;
layout(set = 0, binding = 37, r32ui) writeonly uniform uimage2D to_r32_u32;
layout(set = 0, binding = 38, r32i) readonly uniform iimage2D from_r32_i32;
layout(set = 0, binding = 39, r32i) writeonly uniform iimage2D to_r32_i32;
layout(set = 0, binding = 40, r32f) readonly uniform image2D from_r32_f32;
layout(set = 0, binding = 41, r32f) writeonly uniform image2D to_r32_f32;
layout(set = 0, binding = 42, rg32ui) readonly uniform uimage2D from_rg32_u32;
layout(set = 0, binding = 43, rg32ui) writeonly uniform uimage2D to_rg32_u32;
layout(set = 0, binding = 44, rg32i) readonly uniform iimage2D from_rg32_i32;
layout(set = 0, binding = 45, rg32i) writeonly uniform iimage2D to_rg32_i32;
layout(set = 0, binding = 46, rg32f) readonly uniform image2D from_rg32_f32;
layout(set = 0, binding = 47, rg32f) writeonly uniform image2D to_rg32_f32;
layout(set = 0, binding = 48, rgba32ui) readonly uniform uimage2D from_rgba32_u32;
layout(set = 0, binding = 49, rgba32ui) writeonly uniform uimage2D to_rgba32_u32;
layout(set = 0, binding = 50, rgba32i) readonly uniform iimage2D from_rgba32_i32;
layout(set = 0, binding = 51, rgba32i) writeonly uniform iimage2D to_rgba32_i32;
layout(set = 0, binding = 52, rgba32f) readonly uniform image2D from_rgba32_f32;
layout(set = 0, binding = 53, rgba32f) writeonly uniform image2D to_rgba32_f32;

float vd_round_half(float x) {
    uint bits = floatBitsToUint(x);
    uint sign = bits & 2147483648u;
    uint magnitude = bits & 2147483647u;
    if (magnitude > 2139095040u) return x;
    if (magnitude >= 1199566848u) return uintBitsToFloat(sign | 2139095040u);
    if (magnitude >= 947912704u) return uintBitsToFloat(sign | ((magnitude + 4095u + (magnitude >> 13 & 1u)) & 4294959104u));
    uint steps = floatBitsToUint(uintBitsToFloat(magnitude) + 0.5) - 1056964608u;
    return uintBitsToFloat(sign | floatBitsToUint(float(steps) * 5.9604644775390625e-8));
}
vec4 from_r8_unorm_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r8_unorm))))) return vec4(0.0);
    return imageLoad(from_r8_unorm, vd_at);
}
void to_r8_unorm_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r8_unorm))))) return;
    imageStore(to_r8_unorm, vd_at, roundEven(clamp(vd_texel, 0.0, 1.0) * 255.0) / 255.0);
}
uvec4 from_r8_u8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r8_u8))))) return uvec4(0u);
    return imageLoad(from_r8_u8, vd_at);
}
void to_r8_u8_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r8_u8))))) return;
    imageStore(to_r8_u8, vd_at, min(vd_texel, 255u));
}
ivec4 from_r8_i8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r8_i8))))) return ivec4(0);
    return imageLoad(from_r8_i8, vd_at);
}
void to_r8_i8_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r8_i8))))) return;
    imageStore(to_r8_i8, vd_at, clamp(vd_texel, -128, 127));
}
vec4 from_rg8_unorm_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg8_unorm))))) return vec4(0.0);
    return imageLoad(from_rg8_unorm, vd_at);
}
void to_rg8_unorm_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg8_unorm))))) return;
    imageStore(to_rg8_unorm, vd_at, roundEven(clamp(vd_texel, 0.0, 1.0) * 255.0) / 255.0);
}
uvec4 from_rg8_u8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg8_u8))))) return uvec4(0u);
    return imageLoad(from_rg8_u8, vd_at);
}
void to_rg8_u8_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg8_u8))))) return;
    imageStore(to_rg8_u8, vd_at, min(vd_texel, 255u));
}
ivec4 from_rg8_i8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg8_i8))))) return ivec4(0);
    return imageLoad(from_rg8_i8, vd_at);
}
void to_rg8_i8_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg8_i8))))) return;
    imageStore(to_rg8_i8, vd_at, clamp(vd_texel, -128, 127));
}
vec4 from_rgba8_unorm_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba8_unorm))))) return vec4(0.0);
    return imageLoad(from_rgba8_unorm, vd_at);
}
void to_rgba8_unorm_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba8_unorm))))) return;
    imageStore(to_rgba8_unorm, vd_at, roundEven(clamp(vd_texel, 0.0, 1.0) * 255.0) / 255.0);
}
uvec4 from_rgba8_u8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba8_u8))))) return uvec4(0u);
    return imageLoad(from_rgba8_u8, vd_at);
}
void to_rgba8_u8_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba8_u8))))) return;
    imageStore(to_rgba8_u8, vd_at, min(vd_texel, 255u));
}
ivec4 from_rgba8_i8_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba8_i8))))) return ivec4(0);
    return imageLoad(from_rgba8_i8, vd_at);
}
void to_rgba8_i8_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba8_i8))))) return;
    imageStore(to_rgba8_i8, vd_at, clamp(vd_texel, -128, 127));
}
uvec4 from_r16_u16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r16_u16))))) return uvec4(0u);
    return imageLoad(from_r16_u16, vd_at);
}
void to_r16_u16_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r16_u16))))) return;
    imageStore(to_r16_u16, vd_at, min(vd_texel, 65535u));
}
ivec4 from_r16_i16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r16_i16))))) return ivec4(0);
    return imageLoad(from_r16_i16, vd_at);
}
void to_r16_i16_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r16_i16))))) return;
    imageStore(to_r16_i16, vd_at, clamp(vd_texel, -32768, 32767));
}
vec4 from_r16_f16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r16_f16))))) return vec4(0.0);
    return imageLoad(from_r16_f16, vd_at);
}
void to_r16_f16_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r16_f16))))) return;
    imageStore(to_r16_f16, vd_at, vec4(vd_round_half(vd_texel.x), vd_round_half(vd_texel.y), vd_round_half(vd_texel.z), vd_round_half(vd_texel.w)));
}
uvec4 from_rg16_u16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg16_u16))))) return uvec4(0u);
    return imageLoad(from_rg16_u16, vd_at);
}
void to_rg16_u16_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg16_u16))))) return;
    imageStore(to_rg16_u16, vd_at, min(vd_texel, 65535u));
}
ivec4 from_rg16_i16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg16_i16))))) return ivec4(0);
    return imageLoad(from_rg16_i16, vd_at);
}
void to_rg16_i16_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg16_i16))))) return;
    imageStore(to_rg16_i16, vd_at, clamp(vd_texel, -32768, 32767));
}
vec4 from_rg16_f16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg16_f16))))) return vec4(0.0);
    return imageLoad(from_rg16_f16, vd_at);
}
void to_rg16_f16_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg16_f16))))) return;
    imageStore(to_rg16_f16, vd_at, vec4(vd_round_half(vd_texel.x), vd_round_half(vd_texel.y), vd_round_half(vd_texel.z), vd_round_half(vd_texel.w)));
}
uvec4 from_rgba16_u16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba16_u16))))) return uvec4(0u);
    return imageLoad(from_rgba16_u16, vd_at);
}
void to_rgba16_u16_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba16_u16))))) return;
    imageStore(to_rgba16_u16, vd_at, min(vd_texel, 65535u));
}
ivec4 from_rgba16_i16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba16_i16))))) return ivec4(0);
    return imageLoad(from_rgba16_i16, vd_at);
}
void to_rgba16_i16_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba16_i16))))) return;
    imageStore(to_rgba16_i16, vd_at, clamp(vd_texel, -32768, 32767));
}
vec4 from_rgba16_f16_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba16_f16))))) return vec4(0.0);
    return imageLoad(from_rgba16_f16, vd_at);
}
void to_rgba16_f16_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba16_f16))))) return;
    imageStore(to_rgba16_f16, vd_at, vec4(vd_round_half(vd_texel.x), vd_round_half(vd_texel.y), vd_round_half(vd_texel.z), vd_round_half(vd_texel.w)));
}
uvec4 from_r32_u32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r32_u32))))) return uvec4(0u);
    return imageLoad(from_r32_u32, vd_at);
}
void to_r32_u32_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r32_u32))))) return;
    imageStore(to_r32_u32, vd_at, vd_texel);
}
ivec4 from_r32_i32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r32_i32))))) return ivec4(0);
    return imageLoad(from_r32_i32, vd_at);
}
void to_r32_i32_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r32_i32))))) return;
    imageStore(to_r32_i32, vd_at, vd_texel);
}
vec4 from_r32_f32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_r32_f32))))) return vec4(0.0);
    return imageLoad(from_r32_f32, vd_at);
}
void to_r32_f32_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_r32_f32))))) return;
    imageStore(to_r32_f32, vd_at, vd_texel);
}
uvec4 from_rg32_u32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg32_u32))))) return uvec4(0u);
    return imageLoad(from_rg32_u32, vd_at);
}
void to_rg32_u32_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg32_u32))))) return;
    imageStore(to_rg32_u32, vd_at, vd_texel);
}
ivec4 from_rg32_i32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg32_i32))))) return ivec4(0);
    return imageLoad(from_rg32_i32, vd_at);
}
void to_rg32_i32_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg32_i32))))) return;
    imageStore(to_rg32_i32, vd_at, vd_texel);
}
vec4 from_rg32_f32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rg32_f32))))) return vec4(0.0);
    return imageLoad(from_rg32_f32, vd_at);
}
void to_rg32_f32_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rg32_f32))))) return;
    imageStore(to_rg32_f32, vd_at, vd_texel);
}
uvec4 from_rgba32_u32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba32_u32))))) return uvec4(0u);
    return imageLoad(from_rgba32_u32, vd_at);
}
void to_rgba32_u32_store(ivec2 vd_at, uvec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba32_u32))))) return;
    imageStore(to_rgba32_u32, vd_at, vd_texel);
}
ivec4 from_rgba32_i32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba32_i32))))) return ivec4(0);
    return imageLoad(from_rgba32_i32, vd_at);
}
void to_rgba32_i32_store(ivec2 vd_at, ivec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba32_i32))))) return;
    imageStore(to_rgba32_i32, vd_at, vd_texel);
}
vec4 from_rgba32_f32_load(ivec2 vd_at) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(from_rgba32_f32))))) return vec4(0.0);
    return imageLoad(from_rgba32_f32, vd_at);
}
void to_rgba32_f32_store(ivec2 vd_at, vec4 vd_texel) {
    if (any(greaterThanEqual(uvec2(vd_at), uvec2(imageSize(to_rgba32_f32))))) return;
    imageStore(to_rgba32_f32, vd_at, vd_texel);
}
void main() {
    const ivec2 t0 = ivec2(int(gl_GlobalInvocationID.x), int(gl_GlobalInvocationID.y));
    to_r8_unorm_store(t0, from_r8_unorm_load(t0));
    to_r8_u8_store(t0, from_r8_u8_load(t0));
    to_r8_i8_store(t0, from_r8_i8_load(t0));
    to_rg8_unorm_store(t0, from_rg8_unorm_load(t0));
    to_rg8_u8_store(t0, from_rg8_u8_load(t0));
    to_rg8_i8_store(t0, from_rg8_i8_load(t0));
    to_rgba8_unorm_store(t0, from_rgba8_unorm_load(t0));
    to_rgba8_u8_store(t0, from_rgba8_u8_load(t0));
    to_rgba8_i8_store(t0, from_rgba8_i8_load(t0));
    to_r16_u16_store(t0, from_r16_u16_load(t0));
    to_r16_i16_store(t0, from_r16_i16_load(t0));
    to_r16_f16_store(t0, from_r16_f16_load(t0));
    to_rg16_u16_store(t0, from_rg16_u16_load(t0));
    to_rg16_i16_store(t0, from_rg16_i16_load(t0));
    to_rg16_f16_store(t0, from_rg16_f16_load(t0));
    to_rgba16_u16_store(t0, from_rgba16_u16_load(t0));
    to_rgba16_i16_store(t0, from_rgba16_i16_load(t0));
    to_rgba16_f16_store(t0, from_rgba16_f16_load(t0));
    to_r32_u32_store(t0, from_r32_u32_load(t0));
    to_r32_i32_store(t0, from_r32_i32_load(t0));
    to_r32_f32_store(t0, from_r32_f32_load(t0));
    to_rg32_u32_store(t0, from_rg32_u32_load(t0));
    to_rg32_i32_store(t0, from_rg32_i32_load(t0));
    to_rg32_f32_store(t0, from_rg32_f32_load(t0));
    to_rgba32_u32_store(t0, from_rgba32_u32_load(t0));
    to_rgba32_i32_store(t0, from_rgba32_i32_load(t0));
    to_rgba32_f32_store(t0, from_rgba32_f32_load(t0));
}
