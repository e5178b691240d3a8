// Structs that have grown: programs built against the release that brought them, against a later one, and against one
// that this library does not know yet, through what reads and writes every struct of the C API.
#include "api/desc.h"

#include <gmock/gmock.h>

namespace {

using testing::HasSubstr;

// The descriptor of the first release, and the same after two more fields, as this "library" knows it.
struct FirstThing {
  uint32_t struct_size;
  uint32_t flags;
};
struct Thing {
  uint32_t struct_size;
  uint32_t flags;
  uint64_t limit;
  uint64_t depth;
};
struct LaterThing {
  Thing thing;
  uint64_t colour;
};

}  // namespace

namespace vd::api {
template <>
inline constexpr uint32_t kFirstSize<Thing> = sizeof(FirstThing);
}  // namespace vd::api

namespace {

// A client's struct is followed by what is not its own.
template <class T>
struct Fenced {
  T value{};
  unsigned char fence[64];
  Fenced() {
    value.struct_size = sizeof(T);
    std::memset(fence, 0xAA, sizeof(fence));
  }
  bool whole() const {
    for (const unsigned char byte : fence)
      if (byte != 0xAA) return false;
    return true;
  }
};

template <class F>
std::string refusal(F&& call) {
  try {
    call();
  } catch (const vd::Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_INVALID);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

Thing read(const void* desc) { return vd::api::read_desc(static_cast<const Thing*>(desc), "desc"); }

TEST(GrownStruct, AnOldClientsDescriptorGetsDefaultsForTheRest) {
  Fenced<FirstThing> old;
  old.value.flags = 7;
  const Thing thing = read(&old.value);
  EXPECT_EQ(thing.struct_size, sizeof(Thing));
  EXPECT_EQ(thing.flags, 7u);
  EXPECT_EQ(thing.limit, 0u);
  EXPECT_EQ(thing.depth, 0u);
}

TEST(GrownStruct, AClientInBetweenIsReadAsFarAsItGoes) {
  Thing between{offsetof(Thing, depth), 1, 2, 3};
  const Thing thing = read(&between);
  EXPECT_EQ(thing.limit, 2u);
  EXPECT_EQ(thing.depth, 0u);
}

TEST(GrownStruct, LessThanTheFirstReleaseHadIsRefused) {
  Fenced<FirstThing> old;
  for (const uint32_t size : {0u, 4u, 7u, 4097u}) {
    old.value.struct_size = size;
    EXPECT_EQ(refusal([&] { read(&old.value); }),
              fmt::format("desc->struct_size ({}) is not between 8 and 4096; set it with the _INIT macro", size));
    auto* info = reinterpret_cast<Thing*>(&old.value);
    EXPECT_THAT(refusal([&] { vd::api::write_info(Thing{}, info, "out_info"); }), HasSubstr("out_info->struct_size"));
  }
}

TEST(GrownStruct, ANewerClientMayAskForNothingThatIsNotThere) {
  LaterThing later{{sizeof(LaterThing), 1, 2, 3}, 0};
  EXPECT_EQ(read(&later).depth, 3u);
  later.colour = 1;
  EXPECT_EQ(refusal([&] { read(&later); }), "desc is not zero at byte 24, past the 24 bytes that this library knows");
}

TEST(GrownStruct, AReportGoesAsFarAsTheClientsStruct) {
  const Thing info{sizeof(Thing), 5, 6, 7};
  Fenced<FirstThing> old;
  vd::api::write_info(info, reinterpret_cast<Thing*>(&old.value), "out_info");
  EXPECT_EQ(old.value.struct_size, sizeof(FirstThing));
  EXPECT_EQ(old.value.flags, 5u);
  EXPECT_TRUE(old.whole());

  Fenced<Thing> same;
  vd::api::write_info(info, &same.value, "out_info");
  EXPECT_EQ(same.value.depth, 7u);
  EXPECT_TRUE(same.whole());

  LaterThing later{{sizeof(LaterThing), 0, 0, 0}, 9};
  vd::api::write_info(info, &later.thing, "out_info");
  EXPECT_EQ(later.thing.struct_size, sizeof(LaterThing));
  EXPECT_EQ(later.thing.depth, 7u);
  EXPECT_EQ(later.colour, 0u);
}

TEST(GrownStruct, AnArrayLiesAsItsOwnerSays) {
  const auto read_all = [](const void* descs, uint32_t count) {
    return vd::api::read_descs(static_cast<const Thing*>(descs), count, "descs");
  };
  uint64_t old[3];  // three of the first release's size
  for (uint32_t i = 0; i < 3; ++i) old[i] = sizeof(FirstThing) | uint64_t{i + 1} << 32;
  const std::vector<Thing> three = read_all(old, 3);
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[2].flags, 3u);
  EXPECT_EQ(three[2].depth, 0u);

  LaterThing later[2] = {{{sizeof(LaterThing), 1, 0, 0}, 0}, {{sizeof(LaterThing), 2, 0, 4}, 0}};
  EXPECT_EQ(read_all(later, 2)[1].depth, 4u);

  const Thing mixed[2] = {{sizeof(Thing), 1, 0, 0}, {sizeof(LaterThing), 2, 0, 0}};
  EXPECT_EQ(refusal([&] { read_all(mixed, 2); }), "descs[1].struct_size (32) is not descs[0].struct_size (24)");
  later[1].colour = 1;
  EXPECT_THAT(refusal([&] { read_all(later, 2); }), HasSubstr("descs[1] is not zero at byte 24"));
  old[0] = 4;
  EXPECT_THAT(refusal([&] { read_all(old, 1); }), HasSubstr("descs[0].struct_size (4) is not between 8 and 4096"));
  EXPECT_TRUE(read_all(nullptr, 0).empty());
}

}  // namespace
