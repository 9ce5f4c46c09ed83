// SPDX-License-Identifier: BSD-3-Clause
#include "congest/filter.h"

#include <gtest/gtest.h>

namespace lambdacast::congest {
namespace {

std::vector<size_t> ports(const Filter& filter) {
  std::vector<size_t> ports;
  FilterPorts::each(filter, [&](size_t port) { ports.push_back(port); });
  return ports;
}

TEST(Filter, bits_over_several_words__expect_those_that_were_set_in_order) {
  Filter filter(130);
  for (const size_t port : {129u, 0u, 64u, 63u}) filter.set(port);
  EXPECT_EQ(ports(filter), (std::vector<size_t>{0, 63, 64, 129}));
  EXPECT_EQ(FilterPorts::count(filter), 4u);
  filter.reset(63);
  EXPECT_FALSE(filter.test(63));
  EXPECT_TRUE(filter.test(129));
  Filter more(130);
  more.set(5);
  more.set(64);
  filter.add(more);
  EXPECT_EQ(ports(filter), (std::vector<size_t>{0, 5, 64, 129}));
  filter.remove(more);
  EXPECT_EQ(ports(filter), (std::vector<size_t>{0, 129}));
  filter.clear();
  EXPECT_EQ(filter, Filter(130));
}

}  // namespace
}  // namespace lambdacast::congest
