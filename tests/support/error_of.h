// The message of the error that a call ends in.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace vd::test {

// Fails the test unless f() throws a vd::Error with this status.
template <class F>
std::string error_of(vd_status status, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace vd::test
