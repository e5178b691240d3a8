#include "runtime/retire.h"

#include <gtest/gtest.h>

#include <thread>

namespace {

using namespace vd;
using runtime::RetireList;

class Memory final : public backends::Memory {
 public:
  explicit Memory(size_t& freed) : freed_(freed) {}
  ~Memory() override { ++freed_; }
  uint64_t size() const override { return 1; }

 private:
  size_t& freed_;
};

struct Retiring : testing::Test {
  uint64_t done = 0;
  size_t freed = 0;
  RetireList list{1, [this](uint32_t) { return done; }};

  void add(uint64_t last_use) {
    list.expect();
    list.add({{last_use}, nullptr, nullptr, std::make_unique<Memory>(freed)});
  }
};

TEST_F(Retiring, ThingsGoWhenTheirLastUseIsDone) {
  add(2);
  add(1);
  add(0);
  list.collect();
  EXPECT_EQ(freed, 1u);
  done = 1;
  list.collect();
  EXPECT_EQ(freed, 2u);
  done = 2;
  list.collect();
  EXPECT_EQ(freed, 3u);
  EXPECT_TRUE(list.empty());
}

TEST_F(Retiring, AtMostAnEighthOfALongListWaits) {
  for (uint64_t i = 1; i <= 1000; ++i) add(i);
  for (uint64_t i = 1; i <= 1000; ++i) {
    done = i;
    list.collect();
    EXPECT_LE(i - freed, (1000 - freed) / 8 + 1);
  }
  EXPECT_EQ(freed, 1000u);
}

TEST_F(Retiring, AllThatIsDoneGoesWhenAskedFor) {
  for (uint64_t i = 1; i <= 1000; ++i) add(i);
  list.collect(true);
  done = 1;
  list.collect();
  EXPECT_EQ(freed, 0u);
  list.collect(true);
  EXPECT_EQ(freed, 1u);
}

// A thread that finds another at it leaves it to that one, which then looks once more.
TEST_F(Retiring, WhatIsAskedForMeanwhileGoesToo) {
  struct Asks final : backends::Memory {
    explicit Asks(std::function<void()> ask) : ask(std::move(ask)) {}
    ~Asks() override { ask(); }
    uint64_t size() const override { return 1; }
    std::function<void()> ask;
  };
  list.expect();
  list.add({{0}, nullptr, nullptr, std::make_unique<Asks>([this] {
              std::thread([this] {
                add(0);
                list.collect(true);
              }).join();
            })});
  list.collect(true);
  EXPECT_EQ(freed, 1u);
}

TEST_F(Retiring, ALongListCostsNoMoreThanAShortOne) {
  // Gone through at each call, these would be five billion looks.
  constexpr uint64_t kMany = 100'000;
  for (uint64_t i = 1; i <= kMany; ++i) {
    add(kMany);
    list.collect();
  }
  EXPECT_EQ(freed, 0u);
  done = kMany;
  list.collect();
  EXPECT_EQ(freed, kMany);
}

}  // namespace
