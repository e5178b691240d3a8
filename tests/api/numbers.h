// Complex numbers in buffers of a context, for tests of transforms.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "api/support.h"

namespace api {

using Numbers = std::vector<std::complex<float>>;

class NumbersTest : public testing::Test {
 protected:
  Buffer buffer(const Numbers& data) {
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = data.size() * sizeof(data[0]);
    desc.data = data.data();
    Buffer made;
    EXPECT_TRUE(ok(vd_buffer_create(context_, &desc, made.out())));
    return made;
  }
  Numbers read(vd_buffer* from, size_t count) {
    Numbers data(count);
    EXPECT_TRUE(ok(vd_buffer_read(from, 0, count * sizeof(data[0]), 0, data.data())));
    return data;
  }

  Context context_;
};

}  // namespace api
