// SPDX-License-Identifier: BSD-3-Clause
#include "rack/rack.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include "rack/rack_account.h"
#include "support.h"

namespace lambdacast::rack {
namespace {

constexpr char kSleepers[] =
    "[[lcore]]\nid = 1\nidle = \"sleep\"\n[[lcore]]\nid = 2\nidle = \"sleep\"\n";

// Publishes `quota` messages, as room allows, and checks and counts what comes in.
class Application final : public node::Stage {
 public:
  Application(Endpoint& endpoint, uint64_t quota) : endpoint_(endpoint), quota_(quota) {}
  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t) override {
    const uint32_t taken = endpoint_.take_deliveries(
        32, node::MessageSink([&](const node::PacketInfo&, std::span<const uint8_t> payload) {
          if (payload.size() != 20) wrong_.add(1);
        }));
    heard_.add(taken);
    if (sent_.get() == quota_ || !test::publish(endpoint_, test::counting_bytes(20))) return taken;
    sent_.add(1);
    return taken + 1;
  }
  [[nodiscard]] uint64_t sent() const { return sent_.get(); }
  [[nodiscard]] uint64_t heard() const { return heard_.get(); }
  [[nodiscard]] uint64_t wrong() const { return wrong_.get(); }

 private:
  Endpoint& endpoint_;
  const uint64_t quota_;
  base::Counter sent_, heard_, wrong_;
};

std::vector<Application*> with_applications(Rack& rack, uint64_t quota) {
  std::vector<Application*> applications;
  for (size_t i = 0; i < rack.size(); ++i) {
    auto application = std::make_unique<Application>(rack.endpoint(i), quota);
    applications.push_back(application.get());
    rack.set_application(i, std::move(application));
  }
  return applications;
}

// Everything comes: the fabric's rings hold more than all that is sent.
void run_and_check(const test::RackSpec& spec, uint64_t quota) {
  const config::Config config = test::rack_config(spec);
  auto rack = Rack::create(config, {});
  ASSERT_TRUE(rack) << rack.error().message;
  const auto applications = with_applications(**rack, quota);
  const auto begun = (*rack)->start();
  ASSERT_TRUE(begun) << begun.error().message;
  EXPECT_TRUE((*rack)->running());
  const uint64_t heard_by_each = quota * (spec.nodes - 1);
  EXPECT_TRUE(test::eventually([&] {
    return std::all_of(applications.begin(), applications.end(),
                       [&](const auto* a) { return a->heard() == heard_by_each; });
  }));
  (*rack)->stop();
  EXPECT_FALSE((*rack)->running());
  const RackAccount account = account_of(**rack);
  EXPECT_TRUE(account.at_rest());
  for (size_t i = 0; i < spec.nodes; ++i) {
    EXPECT_EQ(applications[i]->sent(), quota);
    EXPECT_EQ(applications[i]->wrong(), 0u);
    EXPECT_EQ(account.receivers[i].delivered, heard_by_each);
    EXPECT_TRUE(account.receivers[i].losses.empty());
    EXPECT_EQ(rte_mempool_avail_count((*rack)->endpoint(i).pool()), config.endpoints[i].mbufs);
  }
}

TEST(RackTest, run_three_endpoints_on_two_lcores__expect_everybody_to_hear_all_others) {
  run_and_check({.nodes = 3,
                 .slots = 2048,
                 .extra = {"lcore = 1", "lcore = 1", "lcore = 2"},
                 .tables = kSleepers},
                1000);
}

TEST(RackTest, give_every_stage_an_lcore_of_its_own__expect_the_same) {
  run_and_check(
      {.slots = 2048,
       .extra = {"stages = { receive = 1, reliability = 2, ordering = 3, rate_control = 2 }",
                 "stages = { receive = 3, reliability = 1, ordering = 2, rate_control = 1 }"},
       .tables = std::string(kSleepers) + "[[lcore]]\nid = 3\nidle = \"sleep\"\n"},
      1000);
}

TEST(RackTest, start_a_rack__expect_each_stage_on_the_lcore_the_configuration_says) {
  const test::RackSpec spec{
      .nodes = 1,
      .extra = {"stages = { receive = 1, reliability = 2, ordering = 2, rate_control = 1 }"},
      .tables = kSleepers};
  auto rack = Rack::create(test::rack_config(spec), {});
  ASSERT_TRUE(rack);
  (void)with_applications(**rack, 0);
  ASSERT_TRUE((*rack)->start());
  const auto names = [&](uint32_t lcore) {
    std::string all;
    for (const auto& polled : (*rack)->loop(lcore).stages()) {
      all += std::string(polled->stage->name()) + " ";
    }
    return all;
  };
  EXPECT_EQ(names(1), "receive rate_control ");
  EXPECT_EQ(names(2), "reliability ordering application publisher ");
  unsigned where = 0;
  (*rack)->loop(2).run_here([&] { where = rte_lcore_id(); });
  EXPECT_EQ(where, 2u);
}

TEST(RackTest, take_snapshots_of_a_running_rack__expect_each_stage_to_add_up) {
  const test::RackSpec spec{.slots = 4096,
                            .defaults = "lcore = 1",
                            .extra = {"lcore = 1", "lcore = 2"},
                            .tables = kSleepers};
  auto rack = Rack::create(test::rack_config(spec), {});
  ASSERT_TRUE(rack);
  const auto applications = with_applications(**rack, 1500);
  ASSERT_TRUE((*rack)->start());
  EXPECT_TRUE(test::eventually([&] {
    const node::NodeReport now = (*rack)->snapshot()[1];
    for (const node::StageCounters& stage :
         {now.receive.counters, now.reliability.counters, now.ordering.counters}) {
      EXPECT_EQ(stage.received, stage.forwarded + stage.drops.total());
    }
    return now.ordering.counters.forwarded == 1500;
  }));
}

TEST(RackTest, name_an_lcore_that_eal_lacks__expect_one_sentence_and_no_port) {
  const uint16_t ports = rte_eth_dev_count_avail();
  for (const auto& [lcore, why] : {std::pair{"0", "lcore 0 is EAL's main lcore, which controls; "},
                                   std::pair{"9", "lcore 9 is none of EAL's; "}}) {
    const test::RackSpec spec{.nodes = 1, .extra = {std::string("lcore = ") + lcore}};
    const auto rack = Rack::create(test::rack_config(spec), {});
    ASSERT_FALSE(rack);
    EXPECT_EQ(rack.error().message,
              std::string(why) + "leave --lcores out, or name it there with another --main-lcore");
    EXPECT_EQ(rte_eth_dev_count_avail(), ports);
  }
}

TEST(RackTest, fail_at_the_second_endpoint__expect_nothing_left_of_the_first) {
  const uint16_t ports = rte_eth_dev_count_avail();
  const test::RackSpec spec{.defaults = "lcore = 1"};
  config::Config config = test::rack_config(spec);
  {
    test::Light owner_of_c22(spec.fabric, 1);
    config.fabric->slots = 1024;  // what Light took
    const auto rack = Rack::create(config, {});
    ASSERT_FALSE(rack);
    EXPECT_TRUE(rack.error().message.starts_with("endpoint node")) << rack.error().message;
    EXPECT_EQ(rte_eth_dev_count_avail(), ports);
  }
  EXPECT_TRUE(test::files_of_fabrics().empty());
}

TEST(RackTest, start_while_an_lcore_is_busy__expect_the_sentence_and_a_clean_end) {
  std::atomic<bool> release{false};
  const auto wait = [](void* go) {
    while (!static_cast<std::atomic<bool>*>(go)->load()) rte_pause();
    return 0;
  };
  ASSERT_EQ(rte_eal_remote_launch(wait, &release, 2), 0);
  const uint16_t ports = rte_eth_dev_count_avail();
  const test::RackSpec spec{.extra = {"lcore = 1", "lcore = 2"}};
  {
    auto rack = Rack::create(test::rack_config(spec), {});
    ASSERT_TRUE(rack);
    const auto begun = (*rack)->start();
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().message, "lcore 2 is busy and cannot be launched");
    release = true;
  }
  EXPECT_EQ(rte_eth_dev_count_avail(), ports);
  rte_eal_wait_lcore(2);
}

}  // namespace
}  // namespace lambdacast::rack
