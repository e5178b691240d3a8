// The turns of cases, among the drivers whose devices have the features.
#include "support/turns.h"

#include <map>

#include "case.h"

namespace vdc {
namespace {

// Features of a driver's device. The emulated CUDA device has all, and only some processes see it.
uint64_t features_of_driver(const std::string& driver) {
  if (driver == "cuda") return ~uint64_t{0};
  vd_device_info info = VD_DEVICE_INFO_INIT;
  return vd_device_get_info(vd::test::backend_named(driver), 0, &info) == VD_OK ? info.features : 0;
}

}  // namespace

std::string awaits_turn(const std::string& name, uint64_t features, const Session& session) {
  static const std::map<std::string, uint64_t> found = [] {
    std::map<std::string, uint64_t> all;
    for (const std::string& driver : vd::test::drivers_in_turn()) all[driver] = features_of_driver(driver);
    return all;
  }();
  std::vector<std::string> able;
  std::string here;
  for (const std::string& driver : vd::test::drivers_in_turn()) {
    if ((found.at(driver) & features) == features) able.push_back(driver);
    if (vd::test::backend_named(driver) == session.backend()) here = driver;
  }
  return here.empty() ? "" : vd::test::awaits_turn(name, here, able);
}

}  // namespace vdc
