// SPDX-License-Identifier: BSD-3-Clause
// Three endpoints of which node0 has published source-ordered messages, of which node1's port has
// lost some, and all that was repaired.
#pragma once

#include "support.h"

namespace lambdacast::telemetry::test {

struct LossyRack {
  static constexpr uint32_t kMessages = 300;

  LossyRack()
      : config(lambdacast::test::rack_config(
            {.nodes = 3, .defaults = "lcore = 1", .extra = {"", "faults = { loss = 0.1 }"}})) {
    auto created = rack::Rack::create(config, {});
    EXPECT_TRUE(created) << created.error().message;
    rack = std::move(*created);
    for (size_t i = 0; i < rack->size(); ++i) {
      rack::Endpoint& endpoint = rack->endpoint(i);
      rack->set_application(i, std::make_unique<lambdacast::test::FakeStage>([&endpoint](uint64_t) {
                              return endpoint.take_deliveries(32, node::DeliverySink{});
                            }));
    }
    EXPECT_TRUE(rack->start());
    const auto state = [&] { return rack->snapshot()[0].rate_control; };
    EXPECT_TRUE(lambdacast::test::eventually([&] { return state().retention.receivers == 2; }));
    for (uint32_t i = 0; i < kMessages; ++i) {
      EXPECT_TRUE(lambdacast::test::eventually([&] { return publish_ordered(); }));
    }
    EXPECT_TRUE(lambdacast::test::eventually([&] {
      const auto now = state();
      return now.retention.last == now.first_rel_seq + kMessages &&
             now.retention.stable == now.retention.last;
    }));
  }
  bool publish_ordered() {
    rack::Endpoint& from = rack->endpoint(0);
    dpdk::Loan loan;
    if (from.loan({&loan, 1}) != 1) return false;
    const auto message = lambdacast::test::counting_bytes(20);
    std::copy(message.begin(), message.end(), loan.payload());
    if (loan.describe(message.size(), 1, wire::Qos::kSourceOrdered) &&
        from.publish({&loan, 1}) == 1) {
      return true;
    }
    from.give_back({&loan, 1});
    return false;
  }
  [[nodiscard]] Source source() { return {*rack, config}; }
  [[nodiscard]] Table table(const char* subject) {
    const Subject* found = find_subject(subject);
    return found->table(take_snapshot(source(), found->needs));
  }

  config::Config config;
  std::unique_ptr<rack::Rack> rack;
};

// The row whose labels are these, in order.
[[nodiscard]] inline size_t row_of(const Table& table, const std::vector<std::string>& labels) {
  for (size_t row = 0; row < table.rows.size(); ++row) {
    bool same = true;
    for (size_t i = 0; i < labels.size(); ++i)
      same = same && table.rows[row][i] == Value(labels[i]);
    if (same) return row;
  }
  ADD_FAILURE() << "no row of " << labels.front();
  return 0;
}

}  // namespace lambdacast::telemetry::test
