// main() of every GoogleTest program of ours: after the last test, no object of the library may be alive. `--update`
// lets tests rewrite the files that they compare with. VD_SKIP_RETURN_CODE is the status if all tests were skipped.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/crash_trace.h"

#ifdef VD_TEST_INTERNAL
#include "core/object.h"
static uint64_t live_objects() { return vd::live_objects(); }
#else
#include "vkdispatch.h"
static uint64_t live_objects() { return vd_live_objects(); }
#endif

namespace {

// The first environment is torn down last, so what other environments share between tests is gone by then.
class LeakCheck : public testing::Environment {
 public:
  void TearDown() override {
    // A thread of the library's may still be closing a context whose last owner it was.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (live_objects() != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(live_objects(), 0u) << "objects of the library that nobody released";
  }
};

}  // namespace

int main(int argc, char** argv) {
  vd::test::trace_crashes();
  testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--update") == 0) setenv("VD_UPDATE", "1", 1);
  testing::AddGlobalTestEnvironment(new LeakCheck);
  const int status = RUN_ALL_TESTS();
  const char* skipped = std::getenv("VD_SKIP_RETURN_CODE");
  const auto& run = *testing::UnitTest::GetInstance();
  return status == 0 && skipped != nullptr && run.test_to_run_count() == run.skipped_test_count() ? std::atoi(skipped)
                                                                                                  : status;
}
