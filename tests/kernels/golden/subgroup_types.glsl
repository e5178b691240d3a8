#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

layout(set = 0, binding = 0, scalar) buffer Block_i8 { int8_t data[]; } i8;
layout(set = 0, binding = 1, scalar) buffer Block_u8 { uint8_t data[]; } u8;
layout(set = 0, binding = 2, scalar) buffer Block_i16 { int16_t data[]; } i16;
layout(set = 0, binding = 3, scalar) buffer Block_u16 { uint16_t data[]; } u16;
layout(set = 0, binding = 4, scalar) buffer Block_i64 { int64_t data[]; } i64;
layout(set = 0, binding = 5, scalar) buffer Block_u64 { uint64_t data[]; } u64;
layout(set = 0, binding = 6, scalar) buffer Block_f16 { float16_t data[]; } f16;
layout(set = 0, binding = 7, scalar) buffer Block_u64x2 { u64vec2 data[]; } u64x2;
layout(set = 0, binding = 8, scalar) buffer Block_i8x4 { i8vec4 data[]; } i8x4;
layout(set = 0, binding = 9, scalar) buffer Block_some { int64_t data[]; } some;

void main() {
    const int t0 = int(i8.data[gl_LocalInvocationID.x]);
    const int t1 = subgroupAdd(t0);
    const int t2 = int(uint(int(uint(int(uint(int(uint(t0) + uint(t0))) << 24) >> 24) + uint(int(uint(t1) << 24) >> 24))) << 24) >> 24;
    const int t3 = subgroupMul(t0);
    const int t4 = int(uint(int(uint(int(uint(int(uint(t2) + uint(t2))) << 24) >> 24) + uint(int(uint(t3) << 24) >> 24))) << 24) >> 24;
    const int t5 = subgroupMin(t0);
    const int t6 = int(uint(int(uint(int(uint(int(uint(t4) + uint(t4))) << 24) >> 24) + uint(t5))) << 24) >> 24;
    const int t7 = subgroupMax(t0);
    const int t8 = int(uint(int(uint(int(uint(int(uint(t6) + uint(t6))) << 24) >> 24) + uint(t7))) << 24) >> 24;
    const int t9 = subgroupAnd(t0);
    const int t10 = int(uint(int(uint(int(uint(int(uint(t8) + uint(t8))) << 24) >> 24) + uint(t9))) << 24) >> 24;
    const int t11 = subgroupOr(t0);
    const int t12 = int(uint(int(uint(int(uint(int(uint(t10) + uint(t10))) << 24) >> 24) + uint(t11))) << 24) >> 24;
    const int t13 = subgroupXor(t0);
    const int t14 = int(uint(int(uint(int(uint(int(uint(t12) + uint(t12))) << 24) >> 24) + uint(t13))) << 24) >> 24;
    const int t15 = subgroupShuffleXor(t0, 1u);
    const int t16 = int(uint(int(uint(int(uint(int(uint(t14) + uint(t14))) << 24) >> 24) + uint(t15))) << 24) >> 24;
    const int t17 = subgroupBroadcastFirst(t0);
    i8.data[gl_LocalInvocationID.x] = int8_t(int(uint(int(uint(int(uint(t16) + uint(t16))) << 24) >> 24) + uint(t17)));
    const uint t18 = uint(u8.data[gl_LocalInvocationID.x]);
    const uint t19 = subgroupAdd(t18);
    const uint t20 = (((t18 + t18) & 255u) + (t19 & 255u)) & 255u;
    const uint t21 = subgroupMul(t18);
    const uint t22 = (((t20 + t20) & 255u) + (t21 & 255u)) & 255u;
    const uint t23 = subgroupMin(t18);
    const uint t24 = (((t22 + t22) & 255u) + t23) & 255u;
    const uint t25 = subgroupMax(t18);
    const uint t26 = (((t24 + t24) & 255u) + t25) & 255u;
    const uint t27 = subgroupAnd(t18);
    const uint t28 = (((t26 + t26) & 255u) + t27) & 255u;
    const uint t29 = subgroupOr(t18);
    const uint t30 = (((t28 + t28) & 255u) + t29) & 255u;
    const uint t31 = subgroupXor(t18);
    const uint t32 = (((t30 + t30) & 255u) + t31) & 255u;
    const uint t33 = subgroupShuffleXor(t18, 1u);
    const uint t34 = (((t32 + t32) & 255u) + t33) & 255u;
    const uint t35 = subgroupBroadcastFirst(t18);
    u8.data[gl_LocalInvocationID.x] = uint8_t(((t34 + t34) & 255u) + t35);
    const int t36 = int(i16.data[gl_LocalInvocationID.x]);
    const int t37 = subgroupAdd(t36);
    const int t38 = int(uint(int(uint(int(uint(int(uint(t36) + uint(t36))) << 16) >> 16) + uint(int(uint(t37) << 16) >> 16))) << 16) >> 16;
    const int t39 = subgroupMul(t36);
    const int t40 = int(uint(int(uint(int(uint(int(uint(t38) + uint(t38))) << 16) >> 16) + uint(int(uint(t39) << 16) >> 16))) << 16) >> 16;
    const int t41 = subgroupMin(t36);
    const int t42 = int(uint(int(uint(int(uint(int(uint(t40) + uint(t40))) << 16) >> 16) + uint(t41))) << 16) >> 16;
    const int t43 = subgroupMax(t36);
    const int t44 = int(uint(int(uint(int(uint(int(uint(t42) + uint(t42))) << 16) >> 16) + uint(t43))) << 16) >> 16;
    const int t45 = subgroupAnd(t36);
    const int t46 = int(uint(int(uint(int(uint(int(uint(t44) + uint(t44))) << 16) >> 16) + uint(t45))) << 16) >> 16;
    const int t47 = subgroupOr(t36);
    const int t48 = int(uint(int(uint(int(uint(int(uint(t46) + uint(t46))) << 16) >> 16) + uint(t47))) << 16) >> 16;
    const int t49 = subgroupXor(t36);
    const int t50 = int(uint(int(uint(int(uint(int(uint(t48) + uint(t48))) << 16) >> 16) + uint(t49))) << 16) >> 16;
    const int t51 = subgroupShuffleXor(t36, 1u);
    const int t52 = int(uint(int(uint(int(uint(int(uint(t50) + uint(t50))) << 16) >> 16) + uint(t51))) << 16) >> 16;
    const int t53 = subgroupBroadcastFirst(t36);
    i16.data[gl_LocalInvocationID.x] = int16_t(int(uint(int(uint(int(uint(t52) + uint(t52))) << 16) >> 16) + uint(t53)));
    const uint t54 = uint(u16.data[gl_LocalInvocationID.x]);
    const uint t55 = subgroupAdd(t54);
    const uint t56 = (((t54 + t54) & 65535u) + (t55 & 65535u)) & 65535u;
    const uint t57 = subgroupMul(t54);
    const uint t58 = (((t56 + t56) & 65535u) + (t57 & 65535u)) & 65535u;
    const uint t59 = subgroupMin(t54);
    const uint t60 = (((t58 + t58) & 65535u) + t59) & 65535u;
    const uint t61 = subgroupMax(t54);
    const uint t62 = (((t60 + t60) & 65535u) + t61) & 65535u;
    const uint t63 = subgroupAnd(t54);
    const uint t64 = (((t62 + t62) & 65535u) + t63) & 65535u;
    const uint t65 = subgroupOr(t54);
    const uint t66 = (((t64 + t64) & 65535u) + t65) & 65535u;
    const uint t67 = subgroupXor(t54);
    const uint t68 = (((t66 + t66) & 65535u) + t67) & 65535u;
    const uint t69 = subgroupShuffleXor(t54, 1u);
    const uint t70 = (((t68 + t68) & 65535u) + t69) & 65535u;
    const uint t71 = subgroupBroadcastFirst(t54);
    u16.data[gl_LocalInvocationID.x] = uint16_t(((t70 + t70) & 65535u) + t71);
    const int64_t t72 = i64.data[gl_LocalInvocationID.x];
    const int64_t t73 = subgroupAdd(t72);
    const int64_t t74 = int64_t(uint64_t(int64_t(uint64_t(t72) + uint64_t(t72))) + uint64_t(t73));
    const int64_t t75 = subgroupMul(t72);
    const int64_t t76 = int64_t(uint64_t(int64_t(uint64_t(t74) + uint64_t(t74))) + uint64_t(t75));
    const int64_t t77 = subgroupMin(t72);
    const int64_t t78 = int64_t(uint64_t(int64_t(uint64_t(t76) + uint64_t(t76))) + uint64_t(t77));
    const int64_t t79 = subgroupMax(t72);
    const int64_t t80 = int64_t(uint64_t(int64_t(uint64_t(t78) + uint64_t(t78))) + uint64_t(t79));
    const int64_t t81 = subgroupAnd(t72);
    const int64_t t82 = int64_t(uint64_t(int64_t(uint64_t(t80) + uint64_t(t80))) + uint64_t(t81));
    const int64_t t83 = subgroupOr(t72);
    const int64_t t84 = int64_t(uint64_t(int64_t(uint64_t(t82) + uint64_t(t82))) + uint64_t(t83));
    const int64_t t85 = subgroupXor(t72);
    const int64_t t86 = int64_t(uint64_t(int64_t(uint64_t(t84) + uint64_t(t84))) + uint64_t(t85));
    const int64_t t87 = subgroupShuffleXor(t72, 1u);
    const int64_t t88 = int64_t(uint64_t(int64_t(uint64_t(t86) + uint64_t(t86))) + uint64_t(t87));
    const int64_t t89 = subgroupBroadcastFirst(t72);
    i64.data[gl_LocalInvocationID.x] = int64_t(uint64_t(int64_t(uint64_t(t88) + uint64_t(t88))) + uint64_t(t89));
    const uint64_t t90 = u64.data[gl_LocalInvocationID.x];
    const uint64_t t91 = subgroupAdd(t90);
    const uint64_t t92 = t90 + t90 + t91;
    const uint64_t t93 = subgroupMul(t90);
    const uint64_t t94 = t92 + t92 + t93;
    const uint64_t t95 = subgroupMin(t90);
    const uint64_t t96 = t94 + t94 + t95;
    const uint64_t t97 = subgroupMax(t90);
    const uint64_t t98 = t96 + t96 + t97;
    const uint64_t t99 = subgroupAnd(t90);
    const uint64_t t100 = t98 + t98 + t99;
    const uint64_t t101 = subgroupOr(t90);
    const uint64_t t102 = t100 + t100 + t101;
    const uint64_t t103 = subgroupXor(t90);
    const uint64_t t104 = t102 + t102 + t103;
    const uint64_t t105 = subgroupShuffleXor(t90, 1u);
    const uint64_t t106 = t104 + t104 + t105;
    const uint64_t t107 = subgroupBroadcastFirst(t90);
    u64.data[gl_LocalInvocationID.x] = t106 + t106 + t107;
    const float16_t t108 = f16.data[gl_LocalInvocationID.x];
    const float16_t t109 = subgroupMin(t108);
    const float16_t t110 = t108 + t108 + t109;
    const float16_t t111 = subgroupMax(t108);
    const float16_t t112 = t110 + t110 + t111;
    const float16_t t113 = subgroupShuffleXor(t108, 1u);
    const float16_t t114 = t112 + t112 + t113;
    const float16_t t115 = subgroupBroadcastFirst(t108);
    f16.data[gl_LocalInvocationID.x] = t114 + t114 + t115;
    const u64vec2 t116 = u64x2.data[gl_LocalInvocationID.x];
    const u64vec2 t117 = subgroupAdd(t116);
    const u64vec2 t118 = t116 + t116 + t117;
    const u64vec2 t119 = subgroupShuffleXor(t116, 1u);
    const u64vec2 t120 = t118 + t118 + t119;
    const u64vec2 t121 = subgroupBroadcastFirst(t116);
    u64x2.data[gl_LocalInvocationID.x] = t120 + t120 + t121;
    const ivec4 t122 = ivec4(i8x4.data[gl_LocalInvocationID.x]);
    const ivec4 t123 = subgroupAdd(t122);
    const ivec4 t124 = ivec4(uvec4(ivec4(uvec4(ivec4(uvec4(ivec4(uvec4(t122) + uvec4(t122))) << ivec4(24)) >> ivec4(24)) + uvec4(ivec4(uvec4(t123) << ivec4(24)) >> ivec4(24)))) << ivec4(24));
    const ivec4 t125 = t124 >> ivec4(24);
    const ivec4 t126 = subgroupShuffleXor(t122, 1u);
    const ivec4 t127 = ivec4(uvec4(ivec4(uvec4(ivec4(uvec4(ivec4(uvec4(t125) + uvec4(t125))) << ivec4(24)) >> ivec4(24)) + uvec4(t126))) << ivec4(24)) >> ivec4(24);
    const ivec4 t128 = subgroupBroadcastFirst(t122);
    i8x4.data[gl_LocalInvocationID.x] = i8vec4(ivec4(uvec4(ivec4(uvec4(ivec4(uvec4(t127) + uvec4(t127))) << ivec4(24)) >> ivec4(24)) + uvec4(t128)));
    if ((gl_LocalInvocationID.x & 1u) == 1u) {
        const int64_t t129 = some.data[gl_LocalInvocationID.x];
        const int64_t t130 = subgroupAdd(t129);
        const int64_t t131 = int64_t(uint64_t(int64_t(uint64_t(t129) + uint64_t(t129))) + uint64_t(t130));
        const int64_t t132 = subgroupMul(t129);
        const int64_t t133 = int64_t(uint64_t(int64_t(uint64_t(t131) + uint64_t(t131))) + uint64_t(t132));
        const int64_t t134 = subgroupMin(t129);
        const int64_t t135 = int64_t(uint64_t(int64_t(uint64_t(t133) + uint64_t(t133))) + uint64_t(t134));
        const int64_t t136 = subgroupMax(t129);
        const int64_t t137 = int64_t(uint64_t(int64_t(uint64_t(t135) + uint64_t(t135))) + uint64_t(t136));
        const int64_t t138 = subgroupShuffleXor(t129, 1u);
        const int64_t t139 = int64_t(uint64_t(int64_t(uint64_t(t137) + uint64_t(t137))) + uint64_t(t138));
        const int64_t t140 = subgroupBroadcastFirst(t129);
        some.data[gl_LocalInvocationID.x] = int64_t(uint64_t(int64_t(uint64_t(t139) + uint64_t(t139))) + uint64_t(t140));
    }
}
