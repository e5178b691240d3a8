typedef unsigned int uint;
struct __align__(16) f32x4 {
    float x, y, z, w;
    f32x4() = default;
    __device__ f32x4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4(float s) : x(s), y(s), z(s), w(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct f32x4_packed {
    float x, y, z, w;
    f32x4_packed() = default;
    __device__ f32x4_packed(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit f32x4_packed(float s) : x(s), y(s), z(s), w(s) {}
    __device__ f32x4_packed(f32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator f32x4() const { return f32x4(x, y, z, w); }
    __device__ float& operator[](uint i) { return (&x)[i]; }
};
__device__ inline f32x4 operator*(f32x4 a, f32x4 b) { return f32x4((a.x * b.x), (a.y * b.y), (a.z * b.z), (a.w * b.w)); }
struct f32x3 {
    float x, y, z;
    f32x3() = default;
    __device__ f32x3(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ explicit f32x3(float s) : x(s), y(s), z(s) {}
    __device__ float& operator[](uint i) { return (&x)[i]; }
    __device__ float operator[](uint i) const { return (&x)[i]; }
};
struct u32x3 {
    uint x, y, z;
    u32x3() = default;
    __device__ u32x3(uint x, uint y, uint z) : x(x), y(y), z(z) {}
    __device__ explicit u32x3(uint s) : x(s), y(s), z(s) {}
    __device__ uint& operator[](uint i) { return (&x)[i]; }
    __device__ uint operator[](uint i) const { return (&x)[i]; }
};
struct __align__(16) i32x4 {
    int x, y, z, w;
    i32x4() = default;
    __device__ i32x4(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4(int s) : x(s), y(s), z(s), w(s) {}
    __device__ int& operator[](uint i) { return (&x)[i]; }
    __device__ int operator[](uint i) const { return (&x)[i]; }
};
struct i32x4_packed {
    int x, y, z, w;
    i32x4_packed() = default;
    __device__ i32x4_packed(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {}
    __device__ explicit i32x4_packed(int s) : x(s), y(s), z(s), w(s) {}
    __device__ i32x4_packed(i32x4 v) : x(v.x), y(v.y), z(v.z), w(v.w) {}
    __device__ operator i32x4() const { return i32x4(x, y, z, w); }
    __device__ int& operator[](uint i) { return (&x)[i]; }
};
struct Block_values {
    float values;
    f32x3 v;
    double w;
    f32x4_packed h;
    u32x3 exec_size;
    i32x4_packed x_shape;
};

extern "C" __global__ void __launch_bounds__(64) vkdispatch_main(float* x, const Block_values values_1) {
    const uint global_id_x = blockIdx.x * 64u + threadIdx.x;
    if (global_id_x < values_1.exec_size.x && int(global_id_x) < values_1.x_shape.w) {
        x[global_id_x] = values_1.values * values_1.v.z + (values_1.h * values_1.h).y;
    }
    x[0u] = float(values_1.w);
}
