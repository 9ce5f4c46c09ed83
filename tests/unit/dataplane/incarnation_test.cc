#include "dataplane/incarnation.h"

#include <gtest/gtest.h>

namespace lambdacast::dataplane {
namespace {

TEST(IncarnationTest, ask_for_incarnations__expect_them_to_grow_serially) {
  const uint32_t first = incarnation_now();
  const uint32_t second = incarnation_now();
  EXPECT_LE(second - first, 1u << 20);
}

}  // namespace
}  // namespace lambdacast::dataplane
