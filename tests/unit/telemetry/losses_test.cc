// SPDX-License-Identifier: BSD-3-Clause
#include "lossy_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::count;

TEST(LossesTest, lose_on_the_way_to_one_receiver__expect_them_placed_in_the_fabric) {
  test::LossyRack running;
  const Table table = running.table("losses");
  const size_t lossy = test::row_of(table, {"node1", "10.77.0.1"});
  const uint64_t lost = count(table, lossy, "first_losses");
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(count(table, lossy, "repaired"), lost);
  EXPECT_EQ(count(table, lossy, "missing"), 0u);
  EXPECT_EQ(count(table, lossy, "transmitter"), 0u);
  const uint64_t placed = count(table, lossy, "fabric") + count(table, lossy, "receiver");
  EXPECT_EQ(placed, lost);
  EXPECT_GT(count(table, lossy, "fabric"), 0u);
  EXPECT_EQ(count(table, test::row_of(table, {"node2", "10.77.0.1"}), "first_losses"), 0u);
}

// Places are inferred from counts that others keep: whatever these say, they add up.
TEST(LossesTest, tell_of_any_counts__expect_places_that_add_up) {
  test::LossyRack running;
  const Subject* subject = find_subject("losses");
  Snapshot snapshot = take_snapshot(running.source(), subject->needs);
  struct Case {
    uint64_t first_losses, lost_by_all, port;
    uint64_t transmitter, fabric, receiver;
  };
  for (const Case& c : {Case{100, 20, 30, 20, 50, 30}, Case{100, 200, 30, 100, 0, 0},
                        Case{100, 20, 300, 20, 0, 80}, Case{0, 5, 5, 0, 0, 0}}) {
    for (auto& peer : snapshot.endpoints[1].stages.reliability.peers) {
      peer.receiver.first_losses = c.first_losses;
      peer.receiver.lost_by_all = c.lost_by_all;
    }
    const uint32_t light = running.rack->endpoint(0).config().wavelength_index;
    auto& counters = snapshot.endpoints[1].port.extended;
    counters["wl" + std::to_string(light) + "_missed"] = c.port;
    counters["wl" + std::to_string(light) + "_no_mbuf"] = 0;
    counters["wl" + std::to_string(light) + "_too_long"] = 0;
    const Table table = subject->table(snapshot);
    const size_t row = test::row_of(table, {"node1", "10.77.0.1"});
    EXPECT_EQ(count(table, row, "transmitter"), c.transmitter);
    EXPECT_EQ(count(table, row, "fabric"), c.fabric);
    EXPECT_EQ(count(table, row, "receiver"), c.receiver);
  }
}

}  // namespace
}  // namespace lambdacast::telemetry
