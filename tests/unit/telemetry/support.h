// SPDX-License-Identifier: BSD-3-Clause
// What the tests of telemetry and console share: a small running rack that has sent something.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "../dpdk/support.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry::test {

using lambdacast::test::RackSpec;

// Two endpoints on lcore 1; node0 has published `messages` of 20 bytes to group 1.
struct RunningRack {
  explicit RunningRack(const RackSpec& spec = {.defaults = "lcore = 1"}, uint32_t messages = 3)
      : config(lambdacast::test::rack_config(spec)) {
    auto created = rack::Rack::create(config, {});
    EXPECT_TRUE(created) << created.error().message;
    rack = std::move(*created);
    for (uint32_t i = 0; i < messages; ++i) {
      EXPECT_TRUE(
          lambdacast::test::publish(rack->endpoint(0), lambdacast::test::counting_bytes(20)));
    }
    const auto started = rack->start();
    EXPECT_TRUE(started) << started.error().message;
    EXPECT_TRUE(lambdacast::test::eventually(
        [&] { return rack->snapshot()[1].ordering.counters.received == messages; }));
  }
  [[nodiscard]] Source source() { return {*rack, config}; }
  [[nodiscard]] Table table(const char* subject) {
    const Subject* found = find_subject(subject);
    return found->table(take_snapshot(source(), found->needs));
  }

  config::Config config;
  std::unique_ptr<rack::Rack> rack;
};

// The value of a figure in row `row`.
[[nodiscard]] inline Value figure(const Table& table, size_t row, const std::string& name) {
  for (size_t i = 0; row < table.rows.size() && i < table.figures.size(); ++i) {
    if (name == table.figures[i].name) return table.rows[row][i];
  }
  ADD_FAILURE() << "no row " << row << " or no figure " << name;
  return {};
}
[[nodiscard]] inline uint64_t count(const Table& table, size_t row, const std::string& name) {
  const Value value = figure(table, row, name);
  const auto* number = std::get_if<uint64_t>(&value);
  return number == nullptr ? ~uint64_t{0} : *number;
}
[[nodiscard]] inline Value number(uint64_t value) { return Value(value); }

}  // namespace lambdacast::telemetry::test
