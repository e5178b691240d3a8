typedef unsigned int uint;
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
__device__ inline f32x3 operator+(f32x3 a, f32x3 b) { return f32x3((a.x + b.x), (a.y + b.y), (a.z + b.z)); }
struct __align__(8) f32x2 {
    float x, y;
    f32x2() = default;
    __device__ f32x2(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2(float s) : x(s), y(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x2_packed {
    float x, y;
    f32x2_packed() = default;
    __device__ f32x2_packed(float x, float y) : x(x), y(y) {}
    __device__ explicit f32x2_packed(float s) : x(s), y(s) {}
    __device__ f32x2_packed(f32x2 v) : x(v.x), y(v.y) {}
    __device__ operator f32x2() const { return f32x2(x, y); }
    __device__ float& operator[](uint i) { return (&x)[i]; }
};
struct Body {
    f32x3 position;
    float mass;
    f32x2_packed float_1;
    int tags[3];
};
struct Block_values {
    Body ref;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(Body* bodies, const Block_values values) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    bodies[global_id_x].position = bodies[global_id_x].position + values.ref.position;
    bodies[global_id_x].float_1 = values.ref.float_1;
    bodies[global_id_x].float_1.y = bodies[global_id_x].mass;
    bodies[global_id_x].tags[2u] = values.ref.tags[threadIdx.x & 1u];
    Body copy = bodies[global_id_x];
    copy.mass = 1.0f;
    bodies[0u] = copy;
    const float t0 = *(volatile float*)&bodies[2u].position.y;
    const float t1 = *(volatile float*)&bodies[2u].position.z;
    const float t2 = *(volatile float*)&bodies[2u].mass;
    const float t3 = *(volatile float*)&bodies[2u].float_1.x;
    const float t4 = *(volatile float*)&bodies[2u].float_1.y;
    const int t5 = *(volatile int*)&bodies[2u].tags[0u];
    const int t6 = *(volatile int*)&bodies[2u].tags[1u];
    const int t7 = *(volatile int*)&bodies[2u].tags[2u];
    *(volatile float*)&bodies[1u].position.x = *(volatile float*)&bodies[2u].position.x;
    *(volatile float*)&bodies[1u].position.y = t0;
    *(volatile float*)&bodies[1u].position.z = t1;
    *(volatile float*)&bodies[1u].mass = t2;
    *(volatile float*)&bodies[1u].float_1.x = t3;
    *(volatile float*)&bodies[1u].float_1.y = t4;
    *(volatile int*)&bodies[1u].tags[0u] = t5;
    *(volatile int*)&bodies[1u].tags[1u] = t6;
    *(volatile int*)&bodies[1u].tags[2u] = t7;
}
