// The emulated driver's arrays, textures and surfaces, by the rules of the CUDA C++ Programming Guide ("Texture
// Fetching"): coordinates and weights have eight bits behind the point.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace vd::cuda {

size_t CUarray_st::extent(int axis) const {
  return std::max<size_t>(axis == 0 ? shape.Width : axis == 1 ? shape.Height : shape.Depth, 1);
}

std::byte* CUarray_st::at(int64_t x, int64_t y, int64_t z) {
  const int64_t place[] = {x, y, z};
  for (int axis = 0; axis < 3; ++axis)
    if (place[axis] < 0 || place[axis] >= static_cast<int64_t>(extent(axis))) return nullptr;
  const auto number =
      static_cast<size_t>((z * static_cast<int64_t>(extent(1)) + y) * static_cast<int64_t>(extent(0)) + x);
  return texels.data() + number * texel_size();
}

}  // namespace vd::cuda

namespace {

constexpr size_t kMostExtent = 32768, kMostDepth = 16384, kMostLayers = 2048;
constexpr float kUnknown = 77;  // what a program should not rely on: channels that a format lacks

unsigned channel_size(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
  }
  return 0;
}

bool is_valid(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  if ((d.Flags & ~(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST)) != 0 || channel_size(d.Format) == 0) return false;
  if (d.NumChannels != 1 && d.NumChannels != 2 && d.NumChannels != 4) return false;
  if (d.Width == 0 || (layered && d.Depth == 0) || (!layered && d.Depth != 0 && d.Height == 0)) return false;
  const bool deep = !layered && d.Depth != 0;
  const size_t most = deep ? kMostDepth : kMostExtent;
  return d.Width <= most && d.Height <= most && d.Depth <= (layered ? kMostLayers : kMostDepth);
}

// ---- Textures

struct Texture : vd_emulated_texture {
  CUmipmappedArray array;
  CUDA_TEXTURE_DESC how;
  bool integers;
};

double half_to_double(unsigned bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const unsigned exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return exponent == 0 ? sign * fraction * 0x1p-24
                       : sign * std::ldexp(1 + fraction / 1024.0, static_cast<int>(exponent) - 15);
}

// A channel as the texture reads it; integers as they are.
double channel_of(const Texture& texture, const CUarray_st& level, const std::byte* at) {
  const auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  const bool normalised = !texture.integers;
  switch (level.shape.Format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return normalised ? read(uint8_t{}) / 255 : read(uint8_t{});
    case CU_AD_FORMAT_SIGNED_INT8:
      return normalised ? std::max(read(int8_t{}) / 127, -1.0) : read(int8_t{});
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return normalised ? read(uint16_t{}) / 65535 : read(uint16_t{});
    case CU_AD_FORMAT_SIGNED_INT16:
      return normalised ? std::max(read(int16_t{}) / 32767, -1.0) : read(int16_t{});
    case CU_AD_FORMAT_HALF:
      return half_to_double(static_cast<unsigned>(read(uint16_t{})));
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return read(uint32_t{});
    case CU_AD_FORMAT_SIGNED_INT32:
      return read(int32_t{});
    default:
      return read(float{});
  }
}

// Texel `i` of `n` by the addressing; -1 is the border.
int64_t addressed(CUaddress_mode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
      return ((i % n) + n) % n;
    case CU_TR_ADDRESS_MODE_MIRROR: {
      // Every other image is turned round.
      const int64_t image = i >= 0 ? i / n : -((n - 1 - i) / n);
      const int64_t within = i - image * n;
      return image % 2 == 0 ? within : n - 1 - within;
    }
    case CU_TR_ADDRESS_MODE_BORDER:
      return -1;
    default:
      return i < 0 ? 0 : n - 1;
  }
}

struct Axis {
  int64_t texel[2] = {0, 0};
  double weight[2] = {1, 0};
};

void add_level(const Texture& texture, CUarray_st& level, unsigned dimensions, const float* at, int layer, double share,
               double (&sum)[4]) {
  Axis axes[3];
  for (unsigned a = 0; a < dimensions; ++a) {
    const auto n = static_cast<int64_t>(level.extent(static_cast<int>(a)));
    // Not by so much that the numbers of texels overflow.
    const double place = std::clamp(static_cast<double>(at[a]) * static_cast<double>(n), -1e9, 1e9);
    if (texture.how.filterMode == CU_TR_FILTER_MODE_LINEAR) {
      const double fixed = std::round((place - 0.5) * 256) / 256;
      const auto first = static_cast<int64_t>(std::floor(fixed));
      const double rest = fixed - static_cast<double>(first);
      axes[a].texel[0] = addressed(texture.how.addressMode[a], first, n);
      axes[a].texel[1] = addressed(texture.how.addressMode[a], first + 1, n);
      axes[a].weight[0] = 1 - rest;
      axes[a].weight[1] = rest;
    } else {
      const auto nearest = static_cast<int64_t>(std::floor(std::round(place * 256) / 256));
      axes[a].texel[0] = addressed(texture.how.addressMode[a], nearest, n);
    }
  }
  if (layer >= 0) axes[2].texel[0] = std::min<int64_t>(layer, static_cast<int64_t>(level.extent(2)) - 1);
  for (int corner = 0; corner < 8; ++corner) {
    double weight = share;
    int64_t place[3];
    for (int a = 0; a < 3; ++a) {
      const int which = corner >> a & 1;
      weight *= axes[a].weight[which];
      place[a] = axes[a].texel[which];
    }
    if (weight == 0) continue;
    const std::byte* texel = level.at(place[0], place[1], place[2]);
    for (unsigned c = 0; c < level.shape.NumChannels; ++c) {
      const double value = texel == nullptr
                               ? static_cast<double>(texture.integers ? kUnknown : texture.how.borderColor[c])
                               : channel_of(texture, level, texel + c * level.channel_size);
      sum[c] += value * weight;
    }
  }
}

void sample_texture(const vd_emulated_texture* object, unsigned dimensions, const float* at, int layer, float lod,
                    void* out) {
  const auto& texture = *static_cast<const Texture*>(object);
  auto& levels = texture.array->levels;
  double sum[4] = {};
  if (dimensions != levels[0].dimensions() || (layer >= 0) != levels[0].layered()) {
    for (double& channel : sum) channel = static_cast<double>(kUnknown);  // a function of another form
  } else {
    const double clamped =
        std::clamp<double>(std::clamp(lod, texture.how.minMipmapLevelClamp, texture.how.maxMipmapLevelClamp), 0,
                           static_cast<double>(levels.size() - 1));
    const bool between = texture.how.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    const double exact = between ? std::round(clamped * 256) / 256 : std::round(clamped);
    const auto lower = static_cast<size_t>(exact);
    const double rest = exact - static_cast<double>(lower);
    add_level(texture, levels[lower], dimensions, at, layer, 1 - rest, sum);
    if (rest != 0) add_level(texture, levels[lower + 1], dimensions, at, layer, rest, sum);
    for (unsigned c = levels[0].shape.NumChannels; c < 4; ++c) sum[c] = static_cast<double>(kUnknown);
  }
  for (int c = 0; c < 4; ++c) {
    uint32_t bits = 0;
    if (texture.integers) {
      bits = static_cast<uint32_t>(static_cast<int64_t>(sum[c]));
    } else {
      const auto value = static_cast<float>(sum[c]);
      std::memcpy(&bits, &value, 4);
    }
    std::memcpy(static_cast<std::byte*>(out) + 4 * c, &bits, 4);
  }
}

// ---- Surfaces

struct Surface : vd_emulated_surface {
  CUarray array;
};

std::byte* texel_of(const vd_emulated_surface* object, unsigned dimensions, bool layered, const int* at,
                    unsigned size) {
  CUarray_st& array = *static_cast<const Surface*>(object)->array;
  if (dimensions != array.dimensions() || layered != array.layered() || size != array.texel_size()) return nullptr;
  if (at[0] % static_cast<int>(size) != 0) return nullptr;
  return array.at(at[0] / static_cast<int>(size), at[1], at[2]);
}

void read_surface(const vd_emulated_surface* object, unsigned dimensions, bool layered, const int* at, void* texel,
                  unsigned size) {
  const std::byte* from = texel_of(object, dimensions, layered, at, size);
  if (from == nullptr)
    std::memset(texel, 0, size);
  else
    std::memcpy(texel, from, size);
}

void write_surface(const vd_emulated_surface* object, unsigned dimensions, bool layered, const int* at,
                   const void* texel, unsigned size) {
  if (std::byte* to = texel_of(object, dimensions, layered, at, size); to != nullptr) std::memcpy(to, texel, size);
}

// ---- Copies

// An end of a copy, checked: gives the first byte of a row, and the bytes from a row and a slice to the next.
struct End {
  std::byte* first = nullptr;
  size_t row = 0, slice = 0;
};

bool find_end(const CUDA_MEMCPY3D& p, const CUDA_MEMCPY3D_END& end, End& out) {
  if (end.lod != 0 || end.reserved != nullptr) return false;
  if (end.memoryType == CU_MEMORYTYPE_ARRAY) {
    CUarray_st& array = *end.array;
    const size_t texel = array.texel_size();
    if (end.xInBytes % texel != 0 || p.WidthInBytes % texel != 0) return false;
    if (end.xInBytes + p.WidthInBytes > array.extent(0) * texel || end.y + p.Height > array.extent(1) ||
        end.z + p.Depth > array.extent(2))
      return false;
    out.row = array.extent(0) * texel;
    out.slice = out.row * array.extent(1);
    out.first = array.texels.data() + end.z * out.slice + end.y * out.row + end.xInBytes;
    return true;
  }
  if (end.memoryType != CU_MEMORYTYPE_UNIFIED || (p.Height > 1 && end.pitch < p.WidthInBytes) ||
      (p.Depth > 1 && end.height < p.Height))
    return false;
  out.row = end.pitch;
  out.slice = end.pitch * end.height;
  const size_t from = end.z * out.slice + end.y * out.row + end.xInBytes;
  const size_t bytes = (p.Depth - 1) * out.slice + (p.Height - 1) * out.row + p.WidthInBytes;
  out.first = reinterpret_cast<std::byte*>(end.device + from);
  return is_memory(end.device + from, bytes);
}

}  // namespace

CUresult vd::cuda::emulated::copy_task(const CUDA_MEMCPY3D& p, std::function<void()>& task) {
  End from, to;
  if (p.WidthInBytes == 0 || p.Height == 0 || p.Depth == 0 || !find_end(p, p.src, from) || !find_end(p, p.dst, to))
    return CUDA_ERROR_INVALID_VALUE;
  task = [from, to, width = p.WidthInBytes, height = p.Height, depth = p.Depth] {
    for (size_t z = 0; z < depth; ++z)
      for (size_t y = 0; y < height; ++y)
        std::memmove(to.first + z * to.slice + y * to.row, from.first + z * from.slice + y * from.row, width);
  };
  return CUDA_SUCCESS;
}

VD_ENTRY(cuMemcpy3DAsync_v2, const CUDA_MEMCPY3D* parameters, CUstream handle) {
  VD_BEGIN(cuMemcpy3DAsync_v2);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  std::function<void()> task;
  if (const CUresult result = copy_task(*parameters, task); result != CUDA_SUCCESS) return result;
  stream->push(std::move(task));
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMipmappedArrayCreate, CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* properties, unsigned levels) {
  VD_BEGIN(cuMipmappedArrayCreate);
  const CUDA_ARRAY3D_DESCRIPTOR& all = *properties;
  const bool layered = (all.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  if (!is_valid(all)) return CUDA_ERROR_INVALID_VALUE;
  const size_t longest = std::max({all.Width, all.Height, layered ? size_t{1} : all.Depth});
  if (levels == 0 || longest >> (levels - 1) == 0) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<CUmipmappedArray_st>();
  for (unsigned level = 0; level < levels; ++level) {
    const auto smaller = [&](size_t n) { return n == 0 ? 0 : std::max<size_t>(n >> level, 1); };
    CUarray_st& one = made->levels.emplace_back();
    one.shape = all;
    one.shape.Width = smaller(all.Width);
    one.shape.Height = smaller(all.Height);
    if (!layered) one.shape.Depth = smaller(all.Depth);
    one.channel_size = channel_size(all.Format);
    made->bytes += one.extent(0) * one.extent(1) * one.extent(2) * one.texel_size();
  }
  if (!reserve(made->bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  for (CUarray_st& one : made->levels)
    one.texels.assign(one.extent(0) * one.extent(1) * one.extent(2) * one.texel_size(), std::byte{0xA5});
  *array = made.release();
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMipmappedArrayGetLevel, CUarray* level, CUmipmappedArray array, unsigned number) {
  VD_BEGIN(cuMipmappedArrayGetLevel);
  if (number >= array->levels.size()) return CUDA_ERROR_INVALID_VALUE;
  *level = &array->levels[number];
  return CUDA_SUCCESS;
}
VD_ENTRY(cuMipmappedArrayDestroy, CUmipmappedArray array) {
  VD_BEGIN_ANYWHERE(cuMipmappedArrayDestroy);  // also where an error ended the context
  if (array->textures != 0) return CUDA_ERROR_INVALID_VALUE;
  const Exclusive alone;
  give_back(array->bytes);
  delete array;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuTexObjectCreate, CUtexObject* texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* how,
         const void* view) {
  VD_BEGIN(cuTexObjectCreate);
  if (resource->resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY || resource->flags != 0 || view != nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  CUmipmappedArray array = resource->res.mipmap.hMipmappedArray;
  const CUarray_format format = array->levels[0].shape.Format;
  const bool wide = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
  const bool floats = format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
  const bool integers = wide || (!floats && (how->flags & CU_TRSF_READ_AS_INTEGER) != 0);
  const bool linear = how->filterMode == CU_TR_FILTER_MODE_LINEAR || how->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
  // Arrays of levels are read by coordinates from 0 to 1, and integers are not blended.
  if ((how->flags & CU_TRSF_NORMALIZED_COORDINATES) == 0 || (integers && linear)) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<Texture>();
  made->sample = sample_texture;
  made->array = array;
  made->how = *how;
  made->integers = integers;
  ++array->textures;
  *texture = reinterpret_cast<CUtexObject>(static_cast<vd_emulated_texture*>(made.release()));
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuTexObjectDestroy, CUtexObject texture) {
  VD_BEGIN_ANYWHERE(cuTexObjectDestroy);
  auto* object = static_cast<Texture*>(reinterpret_cast<vd_emulated_texture*>(texture));
  const Exclusive alone;
  --object->array->textures;
  delete object;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuSurfObjectCreate, CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  VD_BEGIN(cuSurfObjectCreate);
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY || resource->flags != 0) return CUDA_ERROR_INVALID_VALUE;
  CUarray array = resource->res.array.hArray;
  if ((array->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<Surface>();
  made->read = read_surface;
  made->write = write_surface;
  made->array = array;
  *surface = reinterpret_cast<CUsurfObject>(static_cast<vd_emulated_surface*>(made.release()));
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuSurfObjectDestroy, CUsurfObject surface) {
  VD_BEGIN_ANYWHERE(cuSurfObjectDestroy);
  const Exclusive alone;
  delete static_cast<Surface*>(reinterpret_cast<vd_emulated_surface*>(surface));
  live(-1);
  return CUDA_SUCCESS;
}
