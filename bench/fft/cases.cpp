#include "cases.h"

#include <algorithm>
#include <set>

#include "lengths.h"

namespace bench {

std::vector<Case> all_cases(uint64_t total, const std::vector<uint64_t>& lengths, const std::vector<uint64_t>& planes,
                            uint64_t seed) {
  std::vector<Case> all;
  const auto add = [&](const char* row, const char* name, Kind kind, uint64_t n, uint64_t count, double traffic,
                       bool shared_kernel = false) {
    all.push_back({row, std::string(name) + "_" + std::to_string(n), kind, n, count, shared_kernel, traffic});
  };
  for (uint64_t n = 8; n <= 4096; n *= 2) add("F1", "pow2", Kind::Lines, n, total / n, 2);
  for (const uint64_t n : {30, 60, 100, 125, 243, 360, 625, 720, 1000, 1155, 1920, 2187, 3125, 3600})
    add("F1", "smooth", Kind::Lines, n, total / n, 2);
  std::set<uint64_t> known;
  for (const Case& c : all) known.insert(c.n);
  for (uint64_t n = 64; n <= 4096; n *= 2) add("F2", "strided", Kind::Strided, n, total / (n * n), 2);
  // Planes that a workgroup or a cluster holds are read and written once.
  const auto plane_traffic = [](uint64_t n) { return n <= 256 ? 2.0 : 4.0; };
  for (const uint64_t n : {32, 64, 100, 128, 256, 512, 1024, 4096})
    add("F3", "plane", Kind::Plane, n, total / (n * n), plane_traffic(n));
  for (const uint64_t n : {128, 256}) add("F3", "cube", Kind::Cube, n, total / (n * n * n), 2 + plane_traffic(n));
  for (const uint64_t n : {256, 1024, 4096}) {
    add("C1", "conv_row", Kind::Convolve, n, total / n, 2, true);
    add("C1", "conv_full", Kind::Convolve, n, total / n, 3);
    add("C1", "conv_scaled", Kind::Convolve, n, total / n, 2);
    all.back().scaled = true;
  }
  for (const uint64_t n : {64, 128}) add("C2", "conv_plane", Kind::ConvolvePlane, n, total / (n * n), 2, true);
  for (const uint64_t n : {256, 1024}) add("C2", "conv_plane", Kind::ConvolvePlane, n, total / (n * n), 6, true);
  for (const uint64_t n : {64, 243, 256, 625, 1024, 4096}) add("F8", "r2c", Kind::Real, n, 2 * total / n, 2);
  for (const uint64_t n : {256, 1024, 4096}) add("F8", "r2c_c2r", Kind::RealThereAndBack, n, 2 * total / n, 4);
  for (const uint64_t n : {64, 128}) add("F8", "r2c_plane", Kind::RealPlane, n, 2 * total / (n * n), 2);
  for (const uint64_t n : {256, 1024}) add("F8", "r2c_plane", Kind::RealPlane, n, 2 * total / (n * n), 4);
  // The same in kernels of a user's.
  const auto again = [&](const char* name, Kind kind, uint64_t n, uint64_t count, double traffic) {
    add("B", name, kind, n, count, traffic);
    all.back().block = true;
  };
  for (const uint64_t n : {256, 1024, 4096}) again("block", Kind::Lines, n, total / n, 2);
  again("block_cols", Kind::Strided, 1024, total / (1024 * 1024), 2);
  again("block_conv", Kind::Convolve, 1024, total / 1024, 3);
  // Planes and cubes of more passes, and columns that are far apart.
  for (const uint64_t n : {1000, 8192}) add("T", "plane", Kind::Plane, n, total / (n * n), 4);
  add("T", "cube", Kind::Cube, 512, total / (512 * 512 * 512), 6);
  add("T", "far", Kind::Strided, 1024, 1, 2);
  all.back().columns = total / 1024;
  // Long lines, and lengths with large primes.
  for (uint64_t n = uint64_t{1} << 14; n <= uint64_t{1} << 28; n *= 2) add("G", "lines", Kind::Lines, n, total / n, 2);
  for (const uint64_t n : {17, 31, 34, 61, 931, 2017, 4099, 10007, 531441, 1000000, 2985984})
    add("G", "lines", Kind::Lines, n, total / n, 2);
  // One line alone.
  for (uint64_t n = uint64_t{1} << 12; n <= std::min(total, uint64_t{1} << 24); n *= 2)
    add("U", "one", Kind::Lines, n, 1, 2);
  // Long lines whose spectrum nobody looks at.
  for (uint64_t n = uint64_t{1} << 16; n <= uint64_t{1} << 24; n *= 4) {
    add("O", "long_conv", Kind::Convolve, n, total / n, 6, true);
    all.back().any = true;
    add("O", "long_there_back", Kind::ThereAndBack, n, total / n, 8);
    all.back().any = true;
  }
  for (const uint64_t n : draw_lengths(seed)) add("N", "n", Kind::Lines, n, total / n, 2);
  for (const uint64_t n : draw_smooth_lengths(seed, known)) add("S", "seeded", Kind::Lines, n, total / n, 2);
  // Half as many numbers, in as many bytes.
  const auto add_double = [&](uint64_t n) {
    add("D", "f64", Kind::Lines, n, total / 2 / n, 2);
    all.back().precision = Precision::Double;
  };
  for (uint64_t n = 64; n <= 65536; n *= 2) add_double(n);
  for (const uint64_t n : {100, 360, 1000, 3125, 10000}) add_double(n);
  for (const uint64_t n : lengths) add("L", "lines", Kind::Lines, n, total / n, 2);
  for (const uint64_t n : planes) add("P", "plane", Kind::Plane, n, total / (n * n), plane_traffic(n));
  std::erase_if(all, [](const Case& c) { return c.count == 0; });
  return all;
}

}  // namespace bench
