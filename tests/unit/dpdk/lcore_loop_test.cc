// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/lcore_loop.h"

#include <gtest/gtest.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <atomic>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

using test::FakeStage;

constexpr unsigned kWorker = 1;

class LcoreLoopTest : public ::testing::Test {
 protected:
  // Ends the loop before the stages that stand in front of it in the test.
  struct Running {
    LcoreLoopTest* test;
    ~Running() { test->end(); }
  };
  [[nodiscard]] Running launch() {
    const auto run = [](void* loop) {
      static_cast<LcoreLoop*>(loop)->run();
      return 0;
    };
    EXPECT_EQ(rte_eal_remote_launch(run, &loop_, kWorker), 0);
    return {this};
  }
  void end() {
    loop_.stop();
    rte_eal_wait_lcore(kWorker);
  }

  TscClock clock_;
  LcoreLoop loop_{config::Lcore{kWorker, config::IdlePolicy::kPause, 50}, clock_};
};

TEST_F(LcoreLoopTest, poll_stages__expect_the_order_in_which_they_were_added) {
  std::string order;
  FakeStage first([&](uint64_t) {
    if (order.size() < 6) order += 'a';
    return 0;
  });
  FakeStage second([&](uint64_t) {
    if (order.size() < 6) order += 'b';
    return 0;
  });
  loop_.add(first, "x");
  loop_.add(second, "y");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().loops.get() >= 3; }));
  end();
  EXPECT_EQ(order, "ababab");
  EXPECT_EQ(loop_.stages()[1]->endpoint, "y");
}

TEST_F(LcoreLoopTest, hold_an_endpoint__expect_the_others_polled_and_it_again_when_let_go) {
  std::atomic<uint64_t> held_polls{0};
  std::atomic<uint64_t> other_polls{0};
  FakeStage held([&](uint64_t) {
    ++held_polls;
    return 0;
  });
  FakeStage other([&](uint64_t) {
    ++other_polls;
    return 0;
  });
  loop_.add(held, "x");
  loop_.add(held, "x");
  loop_.add(other, "y");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return held_polls >= 2; }));
  loop_.run_here([&] { loop_.hold("x", true); });
  const uint64_t polls_before = held_polls;
  const uint64_t others_before = other_polls;
  ASSERT_TRUE(test::eventually([&] { return other_polls >= others_before + 3; }));
  EXPECT_EQ(held_polls, polls_before);
  loop_.run_here([&] { loop_.hold("x", false); });
  EXPECT_TRUE(test::eventually([&] { return held_polls >= polls_before + 2; }));
}

TEST_F(LcoreLoopTest, move_packets_in_three_polls__expect_the_duty_counters_to_say_so) {
  int polls = 0;
  FakeStage busy([&](uint64_t) { return ++polls <= 3 ? 7u : 0u; });
  FakeStage never([](uint64_t) { return 0u; });
  loop_.add(busy, "x");
  loop_.add(never, "x");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().empty_loops.get() >= 5; }));
  end();
  const DutyCounters& duty = loop_.duty();
  EXPECT_EQ(duty.loops.get(), duty.empty_loops.get() + 3);
  EXPECT_GT(duty.busy_ns.get(), 0u);
  EXPECT_GT(duty.longest_ns.load(), 0u);
  EXPECT_LE(duty.busy_ns.get(), clock_.now_ns());
  EXPECT_EQ(loop_.stages()[0]->packets.get(), 21u);
  EXPECT_EQ(loop_.stages()[0]->polls.get(), duty.loops.get());
  EXPECT_EQ(loop_.stages()[0]->empty_polls.get(), duty.loops.get() - 3);
  EXPECT_EQ(loop_.stages()[1]->empty_polls.get(), duty.loops.get());
}

TEST_F(LcoreLoopTest, stay_in_one_poll_for_a_while__expect_it_to_be_the_longest_loop) {
  bool stayed = false;
  uint64_t stayed_ns = 0;
  FakeStage slow([&](uint64_t) {
    if (stayed) return 0u;
    const uint64_t begin_ns = clock_.now_ns();
    while (clock_.now_ns() - begin_ns < 5'000'000) {
    }
    stayed_ns = clock_.now_ns() - begin_ns;
    stayed = true;
    return 1u;
  });
  loop_.add(slow, "x");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().empty_loops.get() >= 1; }));
  end();
  EXPECT_GE(loop_.duty().longest_ns.load(), stayed_ns);
  EXPECT_GE(loop_.duty().busy_ns.get(), stayed_ns);
}

TEST_F(LcoreLoopTest, poll__expect_a_clock_that_never_steps_back) {
  std::atomic<bool> stepped_back{false};
  uint64_t last_ns = 0;
  FakeStage watcher([&](uint64_t now_ns) {
    if (now_ns < last_ns) stepped_back = true;
    last_ns = now_ns;
    return 0u;
  });
  loop_.add(watcher, "x");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().loops.get() >= 1000; }));
  EXPECT_FALSE(stepped_back);
}

TEST_F(LcoreLoopTest, run_here_while_it_runs__expect_the_lcore_to_do_it_between_two_loops) {
  std::atomic<bool> polling{false};
  FakeStage stage([&](uint64_t) {
    polling = true;
    polling = false;
    return 1u;
  });
  loop_.add(stage, "x");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().loops.get() >= 1; }));
  for (int i = 0; i < 100; ++i) {
    unsigned where = ~0u;
    bool in_a_poll = true;
    loop_.run_here([&] {
      where = rte_lcore_id();
      in_a_poll = polling;
    });
    ASSERT_EQ(where, kWorker);
    ASSERT_FALSE(in_a_poll);
  }
}

TEST_F(LcoreLoopTest, run_here_before_launch_and_after_stop__expect_the_caller_to_do_it) {
  unsigned where = ~0u;
  const auto look = [&] { where = rte_lcore_id(); };
  loop_.run_here(look);
  EXPECT_EQ(where, rte_get_main_lcore());
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().loops.get() >= 1; }));
  end();
  where = ~0u;
  loop_.run_here(look);
  EXPECT_EQ(where, rte_get_main_lcore());
}

// One loop in so many is timed; nothing of what is counted of all of them changes by it.
TEST_F(LcoreLoopTest, poll_stages_for_long__expect_some_polls_timed_and_all_counted) {
  FakeStage moves([](uint64_t) { return 2; });
  FakeStage idle([](uint64_t) { return 0; });
  loop_.add(moves, "x");
  loop_.add(idle, "x");
  const Running running = launch();
  ASSERT_TRUE(test::eventually([&] { return loop_.duty().loops.get() >= 1000; }));
  end();
  const PolledStage& moved = *loop_.stages()[0];
  EXPECT_EQ(moved.packets.get(), 2 * moved.polls.get());
  EXPECT_GT(moved.sampled_packets.get(), 0u);
  EXPECT_LT(moved.sampled_packets.get(), moved.packets.get() / 16);
  EXPECT_EQ(loop_.stages()[1]->sampled_packets.get(), 0u);
  EXPECT_EQ(loop_.stages()[1]->sampled_ns.get(), 0u);
  EXPECT_EQ(loop_.stages()[1]->empty_polls.get(), loop_.stages()[1]->polls.get());
}

// Whoever takes a task out of the mailbox runs it, whatever the moment.
TEST_F(LcoreLoopTest, run_here_around_launch_and_stop__expect_each_task_once) {
  for (int round = 0; round < 50; ++round) {
    LcoreLoop loop(config::Lcore{kWorker, config::IdlePolicy::kSpin, 50}, clock_);
    const auto run = [](void* l) {
      static_cast<LcoreLoop*>(l)->run();
      return 0;
    };
    ASSERT_EQ(rte_eal_remote_launch(run, &loop, kWorker), 0);
    int times = 0;
    for (int i = 0; i < 20; ++i) {
      if (i == 10) loop.stop();
      loop.run_here([&] { ++times; });
    }
    rte_eal_wait_lcore(kWorker);
    ASSERT_EQ(times, 20);
  }
}

}  // namespace
}  // namespace lambdacast::dpdk
