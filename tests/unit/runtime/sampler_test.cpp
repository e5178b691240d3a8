// Samplers of a device live as long as their users: handles, and work in flight.
#include "runtime/sampler.h"

#include <gtest/gtest.h>

#include "runtime/buffer.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;

struct SamplerTest : testing::Test {
  fake::World world;
  Ref<vd_context> ctx = fake::make_context(world, {.devices = 2, .queues = 2});
  Ref<vd_sampler> make() { return Ref<vd_sampler>::adopt(new vd_sampler(*ctx, VD_SAMPLER_DESC_INIT)); }
};

TEST_F(SamplerTest, ADevicesOwnIsMadeOnceAndGoesWithTheHandle) {
  auto sampler = make();
  EXPECT_EQ(world.samplers.size(), 0u);
  EXPECT_EQ(&sampler->on(0), &sampler->on(0));
  EXPECT_NE(&sampler->on(0), &sampler->on(1));
  EXPECT_EQ(world.samplers.size(), 2u);
  sampler = {};
  EXPECT_EQ(world.samplers.size(), 0u);
}

TEST_F(SamplerTest, WorkInFlightKeepsIt) {
  const auto buffer = fake::make_buffer(*ctx, 64);
  auto sampler = make();
  sampler->on(0);
  runtime::fill(*buffer, 0, 64, 7, 1);
  sampler = {};
  EXPECT_EQ(world.samplers.size(), 1u) << "the work that was given before may use it";
  EXPECT_TRUE(ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER));
  world.run(*world.queues[1], 1);
  ctx->retired().collect(true);
  EXPECT_EQ(world.samplers.size(), 0u);
}

TEST_F(SamplerTest, ImagesWithoutOneShareTheDevices) {
  EXPECT_EQ(&ctx->default_sampler(0), &ctx->default_sampler(0));
  EXPECT_NE(&ctx->default_sampler(0), &ctx->default_sampler(1));
  EXPECT_EQ(world.samplers.size(), 2u);
  ctx = {};
  EXPECT_EQ(world.samplers.size(), 0u);
}

}  // namespace
