// SPDX-License-Identifier: BSD-3-Clause
// Telemetry's answers about all that stages count, byte for byte against texts that are kept. A
// change of how figures are collected leaves both texts alone.
#include "whole_snapshot.h"

#include <rte_ethdev.h>

#include <array>
#include <memory>
#include <sstream>
#include <string>

#include "client.h"
#include "counted_snapshot.h"
#include "group/handlers.h"
#include "support.h"
#include "telemetry/reply.h"

namespace lambdacast::telemetry {
namespace {

// The subjects that tell of stages; the others tell of ports and lcores.
constexpr const char* kOfStages[] = {"endpoint", "stages", "drops",   "peers", "reliability",
                                     "losses",   "view",   "members", "groups"};

const Snapshot* told = nullptr;

// Its parameters: a subject and the first row.
int reply(const char*, const char* parameters, rte_tel_data* data) {
  const std::string words = parameters;
  const size_t comma = words.find(',');
  Table table = find_subject(words.substr(0, comma))->table(*told);
  for (size_t i = 0; i < table.figures.size(); ++i) {
    // It has the process's number in it.
    if (table.figures[i].name != std::string("port")) continue;
    for (auto& row : table.rows) row[i] = Value(std::string("PORT"));
  }
  reply_rows(data, table, std::stoul(words.substr(comma + 1)));
  return 0;
}

// In lines of at most 100 characters, for which it breaks behind commas between members.
std::string wrapped(const std::string& answer) {
  std::string text;
  size_t column = 0;
  for (size_t begin = 0, end = 0; begin < answer.size(); begin = end) {
    const size_t comma = answer.find(",\"", begin);
    end = comma == std::string::npos ? answer.size() : comma + 1;
    const bool breaks = column + (end - begin) > 100;
    text += (breaks ? "\n" : "") + answer.substr(begin, end - begin);
    column = (breaks ? 0 : column) + (end - begin);
  }
  return text + "\n";
}

class WholeSnapshotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool offered = rte_telemetry_register_cmd("/test/told", reply, "Told") == 0;
    ASSERT_TRUE(offered);
    if (client_.connected()) return;
    if (test::Client::taken_by_another()) GTEST_SKIP() << "another process has the socket";
    FAIL() << "nobody answers at EAL's telemetry socket";
  }
  std::string all_of(const Snapshot& snapshot) {
    told = &snapshot;
    std::string text;
    for (const char* subject : kOfStages) {
      const size_t rows = find_subject(subject)->table(snapshot).rows.size();
      for (size_t first = 0; first == 0 || first < rows;) {
        const std::string line = "/test/told," + std::string(subject) + "," + std::to_string(first);
        const std::string answer = client_.ask_text(line);
        text += std::string(subject) + " from " + std::to_string(first) + "\n" + wrapped(answer);
        const auto rest = nlohmann::json::parse(answer)["/test/told"];
        first = rest.contains("next") ? rest["next"].get<size_t>() : rows;
        if (rows == 0) break;
      }
    }
    told = nullptr;
    return text;
  }
  // The first line that differs, and all that was told.
  static void expect_same(const std::string& text, const std::string& kept) {
    std::istringstream of_text(text), of_kept(kept);
    std::string line, kept_line;
    for (int number = 1; line == kept_line && std::getline(of_kept, kept_line); ++number) {
      std::getline(of_text, line);
      EXPECT_EQ(line, kept_line) << "in line " << number;
    }
    EXPECT_TRUE(text == kept) << text;
  }

  test::Client client_;
};

TEST_F(WholeSnapshotTest, count_each_figure_differently__expect_the_text_that_is_kept) {
  test::CountedSnapshot counted;
  expect_same(all_of(counted.snapshot()), test::kCountedSnapshot);
}

struct Member final : group::Handlers {
  void delivered(const group::Delivery&, std::span<const uint8_t>) override {}
};

// Endpoints of a rack whose lcores never run: the test polls them itself, by a clock of its own.
class PolledRack {
 public:
  PolledRack() {
    rack_ = std::move(*rack::Rack::create(config_, {.incarnation = 7}));
    for (size_t i = 0; i < rack_->size(); ++i) EXPECT_TRUE(rack_->endpoint(i).port().start());
    lossy_ = rack_->endpoint(1).port().id();
    callback_ = rte_eth_add_rx_callback(lossy_, 0, lose_some, &heard_);
    EXPECT_NE(callback_, nullptr);
  }
  ~PolledRack() { rte_eth_remove_rx_callback(lossy_, 0, callback_); }
  PolledRack(const PolledRack&) = delete;
  PolledRack& operator=(const PolledRack&) = delete;

  void run_ms(uint64_t ms) {
    for (const uint64_t end_ns = now_ns_ + ms * 1'000'000; now_ns_ < end_ns; now_ns_ += 10'000) {
      for (size_t i = 0; i < rack_->size(); ++i) poll(rack_->endpoint(i));
    }
  }
  void publish(size_t from, size_t bytes, uint32_t group, wire::Qos qos) {
    rack::Endpoint& endpoint = rack_->endpoint(from);
    dpdk::Loan loan;
    ASSERT_EQ(endpoint.loan({&loan, 1}), 1u);
    const auto message = lambdacast::test::counting_bytes(bytes);
    std::copy(message.begin(), message.end(), loan.payload());
    EXPECT_TRUE(loan.describe(bytes, group, qos));
    EXPECT_EQ(endpoint.publish({&loan, 1}), 1u);
  }
  // In fragments.
  void publish_long(size_t from, const char* name) {
    const auto message = lambdacast::test::counting_bytes(700);
    EXPECT_EQ(rack_->endpoint(from).named_groups()->publish(std::string_view(name), message,
                                                            wire::Qos::kTotallyOrdered),
              group::Result::kOk);
  }
  void join(size_t who, const char* name) {
    EXPECT_EQ(rack_->endpoint(who).named_groups()->join(name, members_[who]), group::Result::kOk);
  }
  Snapshot snapshot() {
    Snapshot all = take_snapshot({*rack_, config_}, {.ports = true, .groups = true});
    // start() has not assigned them.
    for (size_t i = 0; i < rack_->size(); ++i) {
      for (const char* stage :
           {"receive", "reliability", "ordering", "application", "rate_control"})
        all.polled.push_back({i, stage, 1, 10 * i + 1, 10 * i + 2, 10 * i + 3});
    }
    return all;
  }

 private:
  // Every 23rd frame that the port has heard.
  static uint16_t lose_some(uint16_t, uint16_t, rte_mbuf** frames, uint16_t count, uint16_t,
                            void* heard) {
    uint16_t kept = 0;
    for (uint16_t i = 0; i < count; ++i) {
      if (++*static_cast<uint64_t*>(heard) % 23 == 0)
        rte_pktmbuf_free(frames[i]);
      else
        frames[kept++] = frames[i];
    }
    return kept;
  }
  void poll(rack::Endpoint& endpoint) {
    (void)endpoint.node().receive().poll(now_ns_);
    (void)endpoint.node().reliability().poll(now_ns_);
    (void)endpoint.node().ordering().poll(now_ns_);
    (void)endpoint.poll_groups(node::kMaxBurst, now_ns_, node::DeliverySink{});
    (void)endpoint.publisher().poll(now_ns_);
    (void)endpoint.node().rate_control().poll(now_ns_);
  }

  config::Config config_ = lambdacast::test::rack_config(
      {.nodes = 3,
       .slots = 1024,
       .defaults = "lcore = 1\nmax_peers = 3\ngroups = [1, 2]\n"
                   "membership = { enabled = true, initial_nodes = 3, heartbeat_us = 1000, "
                   "suspect_after_us = 50000, ack_us = 10 }\n"});
  std::unique_ptr<rack::Rack> rack_;
  std::array<Member, 3> members_;
  uint16_t lossy_ = 0;
  uint64_t heard_ = 0;
  const rte_eth_rxtx_callback* callback_ = nullptr;
  uint64_t now_ns_ = 1'000'000;
};

TEST_F(WholeSnapshotTest, lose_repair_and_order_by_a_clock_of_its_own__expect_the_text_kept) {
  PolledRack rack;
  rack.join(0, "orders");
  rack.run_ms(60);
  rack.join(1, "orders");
  rack.run_ms(20);
  for (int i = 0; i < 60; ++i) {
    rack.publish(0, 20, 1, wire::Qos::kSourceOrdered);
    rack.publish(1, 25, 2, wire::Qos::kTotallyResilient);
    if (i % 10 == 0) rack.publish_long(1, "orders");
    rack.publish(2, 30, i % 8 == 0 ? 9 : 1, wire::Qos::kUnreliable);
    rack.run_ms(1);
  }
  rack.publish(2, 20, 1, wire::Qos::kTotallyResilient);
  expect_same(all_of(rack.snapshot()), test::kPolledSnapshot);
}

}  // namespace
}  // namespace lambdacast::telemetry
