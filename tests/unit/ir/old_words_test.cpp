#include "ir/old_words.h"

#include <gmock/gmock.h>

#include "ir/hash.h"
#include "ir/text.h"

namespace vd::ir::testing {
namespace {

// A kernel as release 0.2 printed it, and as it is printed today.
constexpr const char* kOld = R"(kernel "old" local_size 64 2 1 min_groups 2
argument 0 buffer u32 "out"
{
  %0: u32 = index group_id, u32 0
  %1: u32 = index group_size, u32 1
  %2: u32 = index num_groups, u32 2
  %3: u32 = mul %0, %1
  %4: u32 = add %3, %2
  %5: storage u32 = index @0, u32 0
  store %5, %4
}
)";
constexpr const char* kNew = R"(kernel "old" workgroup_size 64 2 1 min_workgroups 2
argument 0 buffer u32 "out"
{
  %0: u32 = index workgroup_id, u32 0
  %1: u32 = index workgroup_size, u32 1
  %2: u32 = index num_workgroups, u32 2
  %3: u32 = mul %0, %1
  %4: u32 = add %3, %2
  %5: storage u32 = index @0, u32 0
  store %5, %4
}
)";

TEST(OldWords, TextsOfRelease02AreRead) {
  const Kernel kernel = parse_text(kOld);
  EXPECT_EQ(kernel.attributes.workgroup_size, (std::array<uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(kernel.attributes.min_workgroups, 2u);
  EXPECT_EQ(print_text(kernel), kNew);
  EXPECT_EQ(hash_kernel(kernel), hash_kernel(parse_text(kNew)));
}

TEST(OldWords, OtherWordsStayUnknown) {
  for (const auto& [wrong, message] :
       {std::pair{"kernel group_size 64 1 1\n{\n}\n", "line 1, column 8: expected an attribute, found \"group_size\""},
        std::pair{"kernel\n{\n  %0: u32 = index local_size, u32 0\n}\n",
                  "line 3, column 19: expected a type, found \"local_size\""}}) {
    try {
      parse_text(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace vd::ir::testing
