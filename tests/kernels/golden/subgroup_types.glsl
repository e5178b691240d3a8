#version 450
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
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
    const int8_t t0 = i8.data[gl_LocalInvocationID.x];
    const int8_t t1 = subgroupAdd(t0);
    const int8_t t2 = t0 + t0 + t1;
    const int8_t t3 = subgroupMul(t0);
    const int8_t t4 = t2 + t2 + t3;
    const int8_t t5 = subgroupMin(t0);
    const int8_t t6 = t4 + t4 + t5;
    const int8_t t7 = subgroupMax(t0);
    const int8_t t8 = t6 + t6 + t7;
    const int8_t t9 = subgroupAnd(t0);
    const int8_t t10 = t8 + t8 + t9;
    const int8_t t11 = subgroupOr(t0);
    const int8_t t12 = t10 + t10 + t11;
    const int8_t t13 = subgroupXor(t0);
    const int8_t t14 = t12 + t12 + t13;
    const int8_t t15 = subgroupShuffleXor(t0, 1u);
    const int8_t t16 = t14 + t14 + t15;
    const int8_t t17 = subgroupBroadcastFirst(t0);
    i8.data[gl_LocalInvocationID.x] = t16 + t16 + t17;
    const uint8_t t18 = u8.data[gl_LocalInvocationID.x];
    const uint8_t t19 = subgroupAdd(t18);
    const uint8_t t20 = t18 + t18 + t19;
    const uint8_t t21 = subgroupMul(t18);
    const uint8_t t22 = t20 + t20 + t21;
    const uint8_t t23 = subgroupMin(t18);
    const uint8_t t24 = t22 + t22 + t23;
    const uint8_t t25 = subgroupMax(t18);
    const uint8_t t26 = t24 + t24 + t25;
    const uint8_t t27 = subgroupAnd(t18);
    const uint8_t t28 = t26 + t26 + t27;
    const uint8_t t29 = subgroupOr(t18);
    const uint8_t t30 = t28 + t28 + t29;
    const uint8_t t31 = subgroupXor(t18);
    const uint8_t t32 = t30 + t30 + t31;
    const uint8_t t33 = subgroupShuffleXor(t18, 1u);
    const uint8_t t34 = t32 + t32 + t33;
    const uint8_t t35 = subgroupBroadcastFirst(t18);
    u8.data[gl_LocalInvocationID.x] = t34 + t34 + t35;
    const int16_t t36 = i16.data[gl_LocalInvocationID.x];
    const int16_t t37 = subgroupAdd(t36);
    const int16_t t38 = t36 + t36 + t37;
    const int16_t t39 = subgroupMul(t36);
    const int16_t t40 = t38 + t38 + t39;
    const int16_t t41 = subgroupMin(t36);
    const int16_t t42 = t40 + t40 + t41;
    const int16_t t43 = subgroupMax(t36);
    const int16_t t44 = t42 + t42 + t43;
    const int16_t t45 = subgroupAnd(t36);
    const int16_t t46 = t44 + t44 + t45;
    const int16_t t47 = subgroupOr(t36);
    const int16_t t48 = t46 + t46 + t47;
    const int16_t t49 = subgroupXor(t36);
    const int16_t t50 = t48 + t48 + t49;
    const int16_t t51 = subgroupShuffleXor(t36, 1u);
    const int16_t t52 = t50 + t50 + t51;
    const int16_t t53 = subgroupBroadcastFirst(t36);
    i16.data[gl_LocalInvocationID.x] = t52 + t52 + t53;
    const uint16_t t54 = u16.data[gl_LocalInvocationID.x];
    const uint16_t t55 = subgroupAdd(t54);
    const uint16_t t56 = t54 + t54 + t55;
    const uint16_t t57 = subgroupMul(t54);
    const uint16_t t58 = t56 + t56 + t57;
    const uint16_t t59 = subgroupMin(t54);
    const uint16_t t60 = t58 + t58 + t59;
    const uint16_t t61 = subgroupMax(t54);
    const uint16_t t62 = t60 + t60 + t61;
    const uint16_t t63 = subgroupAnd(t54);
    const uint16_t t64 = t62 + t62 + t63;
    const uint16_t t65 = subgroupOr(t54);
    const uint16_t t66 = t64 + t64 + t65;
    const uint16_t t67 = subgroupXor(t54);
    const uint16_t t68 = t66 + t66 + t67;
    const uint16_t t69 = subgroupShuffleXor(t54, 1u);
    const uint16_t t70 = t68 + t68 + t69;
    const uint16_t t71 = subgroupBroadcastFirst(t54);
    u16.data[gl_LocalInvocationID.x] = t70 + t70 + t71;
    const int64_t t72 = i64.data[gl_LocalInvocationID.x];
    const int64_t t73 = subgroupAdd(t72);
    const int64_t t74 = t72 + t72 + t73;
    const int64_t t75 = subgroupMul(t72);
    const int64_t t76 = t74 + t74 + t75;
    const int64_t t77 = subgroupMin(t72);
    const int64_t t78 = t76 + t76 + t77;
    const int64_t t79 = subgroupMax(t72);
    const int64_t t80 = t78 + t78 + t79;
    const int64_t t81 = subgroupAnd(t72);
    const int64_t t82 = t80 + t80 + t81;
    const int64_t t83 = subgroupOr(t72);
    const int64_t t84 = t82 + t82 + t83;
    const int64_t t85 = subgroupXor(t72);
    const int64_t t86 = t84 + t84 + t85;
    const int64_t t87 = subgroupShuffleXor(t72, 1u);
    const int64_t t88 = t86 + t86 + t87;
    const int64_t t89 = subgroupBroadcastFirst(t72);
    i64.data[gl_LocalInvocationID.x] = t88 + t88 + t89;
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
    const i8vec4 t122 = i8x4.data[gl_LocalInvocationID.x];
    const i8vec4 t123 = subgroupAdd(t122);
    const i8vec4 t124 = t122 + t122 + t123;
    const i8vec4 t125 = subgroupShuffleXor(t122, 1u);
    const i8vec4 t126 = t124 + t124 + t125;
    const i8vec4 t127 = subgroupBroadcastFirst(t122);
    i8x4.data[gl_LocalInvocationID.x] = t126 + t126 + t127;
    if ((gl_LocalInvocationID.x & 1u) == 1u) {
        const int64_t t128 = some.data[gl_LocalInvocationID.x];
        const int64_t t129 = subgroupAdd(t128);
        const int64_t t130 = t128 + t128 + t129;
        const int64_t t131 = subgroupMul(t128);
        const int64_t t132 = t130 + t130 + t131;
        const int64_t t133 = subgroupMin(t128);
        const int64_t t134 = t132 + t132 + t133;
        const int64_t t135 = subgroupMax(t128);
        const int64_t t136 = t134 + t134 + t135;
        const int64_t t137 = subgroupShuffleXor(t128, 1u);
        const int64_t t138 = t136 + t136 + t137;
        const int64_t t139 = subgroupBroadcastFirst(t128);
        some.data[gl_LocalInvocationID.x] = t138 + t138 + t139;
    }
}
