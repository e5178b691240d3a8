#include "cases.h"

namespace bench {

std::vector<Case> all_cases() {
  constexpr uint64_t kTotal = uint64_t{1} << 27;
  std::vector<Case> all;
  const auto lines = [&](const char* kind, uint64_t n, double vkfft) {
    all.push_back({"F1", std::string(kind) + "_" + std::to_string(n), Kind::Lines, n, kTotal / n, false, vkfft, 2});
  };
  constexpr double kPowers[] = {4100, 4238, 4102, 4115, 4115, 4099, 4231, 4075, 4113, 4138};
  for (int i = 0; i < 10; ++i) lines("pow2", uint64_t{8} << i, kPowers[i]);
  constexpr struct {
    uint64_t n;
    double vkfft;
  } kSmooth[] = {{30, 4200},  {60, 4170},   {100, 4200},  {125, 3809},  {243, 3979},  {360, 3042},  {625, 4096},
                 {720, 4147}, {1000, 3656}, {1155, 4040}, {1920, 3890}, {2187, 3998}, {3125, 3517}, {3600, 4079}};
  for (const auto& c : kSmooth) lines("smooth", c.n, c.vkfft);
  for (const uint64_t n : {64, 128, 256, 512, 1024, 2048, 4096}) {
    all.push_back(
        {"F2", "strided_" + std::to_string(n), Kind::Strided, n, kTotal / (n * n), false, n == 1024 ? 2820.0 : 0, 2});
  }
  constexpr struct {
    uint64_t n;
    double vkfft;
  } kPlanes[] = {{256, 1801}, {512, 1687}, {1024, 1629}, {4096, 1445}};
  for (const auto& c : kPlanes) {
    all.push_back({"F3", "plane_" + std::to_string(c.n), Kind::Plane, c.n, kTotal / (c.n * c.n), false, c.vkfft, 4});
  }
  for (const uint64_t n : {256, 1024, 4096}) {
    all.push_back({"C1", "conv_row_" + std::to_string(n), Kind::Convolve, n, kTotal / n, true, 0, 2});
    all.push_back({"C1", "conv_full_" + std::to_string(n), Kind::Convolve, n, kTotal / n, false, 0, 3});
  }
  for (const uint64_t n : {256, 1024}) {
    all.push_back({"C2", "conv_plane_" + std::to_string(n), Kind::ConvolvePlane, n, kTotal / (n * n), true, 0, 6});
  }
  for (const uint64_t n : {256, 1024, 4096}) {
    all.push_back({"F8", "r2c_" + std::to_string(n), Kind::Real, n, 2 * kTotal / n, false, 0, 2});
  }
  return all;
}

}  // namespace bench
