#include "cases.h"

#include <set>

#include "lengths.h"

namespace bench {

std::vector<Case> all_cases(const std::vector<uint64_t>& lengths, const std::vector<uint64_t>& planes, uint64_t seed) {
  constexpr uint64_t kTotal = uint64_t{1} << 27;
  std::vector<Case> all;
  const auto add = [&](const char* row, const char* name, Kind kind, uint64_t n, uint64_t count, double traffic,
                       bool shared_kernel = false) {
    all.push_back({row, std::string(name) + "_" + std::to_string(n), kind, n, count, shared_kernel, traffic});
  };
  for (uint64_t n = 8; n <= 4096; n *= 2) add("F1", "pow2", Kind::Lines, n, kTotal / n, 2);
  for (const uint64_t n : {30, 60, 100, 125, 243, 360, 625, 720, 1000, 1155, 1920, 2187, 3125, 3600})
    add("F1", "smooth", Kind::Lines, n, kTotal / n, 2);
  std::set<uint64_t> known;
  for (const Case& c : all) known.insert(c.n);
  for (uint64_t n = 64; n <= 4096; n *= 2) add("F2", "strided", Kind::Strided, n, kTotal / (n * n), 2);
  // Planes that a workgroup or a cluster holds are read and written once.
  const auto plane_traffic = [](uint64_t n) { return n <= 256 ? 2.0 : 4.0; };
  for (const uint64_t n : {32, 64, 100, 128, 256, 512, 1024, 4096})
    add("F3", "plane", Kind::Plane, n, kTotal / (n * n), plane_traffic(n));
  for (const uint64_t n : {128, 256}) add("F3", "cube", Kind::Cube, n, kTotal / (n * n * n), 2 + plane_traffic(n));
  for (const uint64_t n : {256, 1024, 4096}) {
    add("C1", "conv_row", Kind::Convolve, n, kTotal / n, 2, true);
    add("C1", "conv_full", Kind::Convolve, n, kTotal / n, 3);
    add("C1", "conv_scaled", Kind::Convolve, n, kTotal / n, 2);
    all.back().scaled = true;
  }
  for (const uint64_t n : {64, 128}) add("C2", "conv_plane", Kind::ConvolvePlane, n, kTotal / (n * n), 2, true);
  for (const uint64_t n : {256, 1024}) add("C2", "conv_plane", Kind::ConvolvePlane, n, kTotal / (n * n), 6, true);
  for (const uint64_t n : {64, 243, 256, 625, 1024, 4096}) add("F8", "r2c", Kind::Real, n, 2 * kTotal / n, 2);
  for (const uint64_t n : {256, 1024, 4096}) add("F8", "r2c_c2r", Kind::RealThereAndBack, n, 2 * kTotal / n, 4);
  for (const uint64_t n : {64, 128}) add("F8", "r2c_plane", Kind::RealPlane, n, 2 * kTotal / (n * n), 2);
  for (const uint64_t n : {256, 1024}) add("F8", "r2c_plane", Kind::RealPlane, n, 2 * kTotal / (n * n), 4);
  // The same in kernels of a user's.
  const auto again = [&](const char* name, Kind kind, uint64_t n, uint64_t count, double traffic) {
    add("B", name, kind, n, count, traffic);
    all.back().block = true;
  };
  for (const uint64_t n : {256, 1024, 4096}) again("block", Kind::Lines, n, kTotal / n, 2);
  again("block_cols", Kind::Strided, 1024, kTotal >> 20, 2);
  again("block_conv", Kind::Convolve, 1024, kTotal / 1024, 3);
  // Planes and cubes of more passes, and columns that are far apart.
  for (const uint64_t n : {1000, 8192}) add("T", "plane", Kind::Plane, n, kTotal / (n * n), 4);
  add("T", "cube", Kind::Cube, 512, 1, 6);
  add("T", "far", Kind::Strided, 1024, 1, 2);
  all.back().columns = kTotal / 1024;
  // Long lines whose spectrum nobody looks at.
  for (uint64_t n = uint64_t{1} << 16; n <= uint64_t{1} << 24; n *= 4) {
    add("O", "long_conv", Kind::Convolve, n, kTotal / n, 6, true);
    all.back().any = true;
    add("O", "long_there_back", Kind::ThereAndBack, n, kTotal / n, 8);
    all.back().any = true;
  }
  for (const uint64_t n : draw_lengths(seed)) add("N", "n", Kind::Lines, n, kTotal / n, 2);
  for (const uint64_t n : draw_smooth_lengths(seed, known)) add("S", "seeded", Kind::Lines, n, kTotal / n, 2);
  // Half as many numbers, in as many bytes.
  const auto add_double = [&](uint64_t n) {
    add("D", "f64", Kind::Lines, n, kTotal / 2 / n, 2);
    all.back().precision = Precision::Double;
  };
  for (uint64_t n = 64; n <= 65536; n *= 2) add_double(n);
  for (const uint64_t n : {100, 360, 1000, 3125, 10000}) add_double(n);
  for (const uint64_t n : lengths) add("L", "lines", Kind::Lines, n, kTotal / n, 2);
  for (const uint64_t n : planes) add("P", "plane", Kind::Plane, n, kTotal / (n * n), plane_traffic(n));
  return all;
}

}  // namespace bench
