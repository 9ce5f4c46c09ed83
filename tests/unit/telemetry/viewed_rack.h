// SPDX-License-Identifier: BSD-3-Clause
// Three endpoints with membership in one view, of which node1 has published totally resilient
// messages that all have delivered.
#pragma once

#include "support.h"

namespace lambdacast::telemetry::test {

struct ViewedRack {
  static constexpr uint32_t kMessages = 5;

  ViewedRack()
      : config(lambdacast::test::rack_config(
            {.nodes = 3,
             .defaults = "lcore = 1\nmax_peers = 3\ngroups = [1, 2]\n"
                         "membership = { enabled = true, initial_nodes = 3 }\n"})) {
    auto created = rack::Rack::create(config, {.incarnation = 7});
    EXPECT_TRUE(created) << created.error().message;
    rack = std::move(*created);
    for (size_t i = 0; i < rack->size(); ++i) {
      rack::Endpoint& endpoint = rack->endpoint(i);
      rack->set_application(i, std::make_unique<lambdacast::test::FakeStage>([&endpoint](uint64_t) {
                              return endpoint.take_deliveries(32, node::DeliverySink{});
                            }));
    }
    EXPECT_TRUE(rack->start());
    const auto everywhere = [&](auto&& holds) {
      const auto now = rack->snapshot();
      return std::all_of(now.begin(), now.end(), holds);
    };
    EXPECT_TRUE(lambdacast::test::eventually(
        [&] { return everywhere([](const auto& stages) { return stages.view->size == 3; }); }));
    for (uint32_t i = 0; i < kMessages; ++i)
      EXPECT_TRUE(lambdacast::test::eventually([&] { return publish_ordered(); }));
    EXPECT_TRUE(lambdacast::test::eventually([&] {
      return everywhere([](const auto& stages) {
        return stages.view->order.delivered == kMessages && stages.view->held == 0;
      });
    }));
  }
  bool publish_ordered() {
    rack::Endpoint& from = rack->endpoint(1);
    dpdk::Loan loan;
    if (from.loan({&loan, 1}) != 1) return false;
    const auto message = lambdacast::test::counting_bytes(20);
    std::copy(message.begin(), message.end(), loan.payload());
    if (loan.describe(message.size(), 1, wire::Qos::kTotallyResilient) &&
        from.publish({&loan, 1}) == 1) {
      return true;
    }
    from.give_back({&loan, 1});
    return false;
  }
  [[nodiscard]] Table table(const char* subject) {
    const Subject* found = find_subject(subject);
    return found->table(take_snapshot({*rack, config}, found->needs));
  }

  config::Config config;
  std::unique_ptr<rack::Rack> rack;
};

}  // namespace lambdacast::telemetry::test
