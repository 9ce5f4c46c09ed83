// SPDX-License-Identifier: BSD-3-Clause
// A fabric among processes: writers are killed, readers are killed, stopped and continued, and
// everybody else verifies every byte of every frame it accepts and the exact count.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <vector>

#include "../unit/fabric/support.h"

namespace lambdacast::fabric {
namespace {

using test::Child;

constexpr uint32_t kLongest = 300;
constexpr int kReaders = 3;  // beside the killed one and the stopped one

struct Report {
  std::atomic<uint64_t> received, missed, wrong, start;
};

// Memory that all processes of a test share, to report in and to pace the test by.
struct Shared {
  std::atomic<uint64_t> sent{0};            // by whoever writes
  std::atomic<uint64_t> end{~uint64_t{0}};  // not known yet
  Report reports[kReaders + 2];
};

class FabricProcesses : public ::testing::Test {
 protected:
  FabricProcesses()
      : shared_(new (::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared{}) {}
  ~FabricProcesses() override { ::munmap(shared_, sizeof(Shared)); }

  [[nodiscard]] std::unique_ptr<Fabric> attach() const {
    auto fabric = Fabric::attach("rack", {1, 64, kLongest, directories_.plain()});
    return fabric ? std::move(*fabric) : nullptr;
  }

  // Attaches after the fork, says so, and reads to the end.
  std::unique_ptr<Child> reader(Report& report) {
    auto child = std::make_unique<Child>([&](Child& parent) {
      auto fabric = attach();
      if (fabric == nullptr) return 1;
      Receiver receiver = fabric->listen(0);
      report.start = receiver.cursor();
      parent.tell();
      read(receiver, report);
      return 0;
    });
    EXPECT_TRUE(child->wait());
    return child;
  }
  void read(Receiver& receiver, Report& report) const {
    std::vector<uint8_t> frame(test::kAnyFrame);
    for (;;) {
      const Peek peek = receiver.peek();
      if (peek == Peek::kEmpty) {
        if (receiver.cursor() == shared_->end) return;
        ::sched_yield();
      } else if (peek == Peek::kOverrun || !receiver.copy_to(frame.data())) {
        report.missed += receiver.resume();
      } else {
        report.wrong +=
            !test::is_frame(frame.data(), receiver.length(), receiver.cursor(), kLongest);
        ++report.received;
        receiver.advance();
      }
    }
  }

  // Sends until it is killed, or until the frame of that index.
  std::unique_ptr<Child> writer(uint64_t until) {
    auto child = std::make_unique<Child>([this, until](Child& parent) {
      auto fabric = attach();
      if (fabric == nullptr) return 1;
      auto transmitter = fabric->claim(0);
      if (!transmitter) return 2;
      parent.tell();
      while (transmitter->next_index() < until) {
        test::send_burst(*transmitter, 1 + transmitter->next_index() % 32);
        shared_->sent = transmitter->next_index();
        ::sched_yield();  // two cores for seven processes
      }
      return 0;
    });
    EXPECT_TRUE(child->wait());
    return child;
  }
  void wait_for_sent(uint64_t frames) const {
    while (shared_->sent < frames) ::sched_yield();
  }
  void expect_exact(const Report& report) const {
    EXPECT_EQ(report.wrong, 0u);
    EXPECT_EQ(report.received + report.missed, shared_->end - report.start);
    EXPECT_GT(report.received, 0u);
  }

  test::Directories directories_;
  Shared* shared_;
};

TEST_F(FabricProcesses, a_reader_killed_and_one_stopped_expect_the_others_exact) {
  auto fabric = attach();
  std::vector<std::unique_ptr<Child>> readers;
  for (Report& report : shared_->reports) readers.push_back(reader(report));
  Child& killed = *readers[kReaders];
  Child& stopped = *readers[kReaders + 1];
  auto source = writer(300'000);
  wait_for_sent(50'000);
  killed.kill(SIGKILL);
  EXPECT_EQ(killed.join(), -SIGKILL);
  stopped.stop();
  wait_for_sent(shared_->sent + 10'000);  // a stopped reader holds nobody up, and is lapped
  stopped.kill(SIGCONT);
  EXPECT_EQ(source->join(), 0);
  shared_->end = shared_->sent.load();
  for (int i = 0; i < kReaders + 2; ++i) {
    if (i == kReaders) continue;
    EXPECT_EQ(readers[i]->join(), 0);
    expect_exact(shared_->reports[i]);
  }
  EXPECT_GT(shared_->reports[kReaders + 1].missed, 0u);
  readers.clear();
  fabric.reset();
  EXPECT_EQ(directories_.files(), 0u);
}

TEST_F(FabricProcesses, writers_killed_anywhere_expect_readers_exact_across_takeovers) {
  auto fabric = attach();
  std::vector<std::unique_ptr<Child>> readers;
  for (int i = 0; i < kReaders; ++i) readers.push_back(reader(shared_->reports[i]));
  base::SplitMix64 random(1);
  constexpr uint64_t kKills = 30;
  for (uint64_t kill = 0; kill < kKills; ++kill) {
    auto source = writer(~uint64_t{0});
    wait_for_sent(shared_->sent + 100 + random.below(400));
    source->kill(SIGKILL);
    ASSERT_EQ(source->join(), -SIGKILL);
  }
  auto transmitter = fabric->claim(0);
  ASSERT_TRUE(transmitter);
  EXPECT_EQ(transmitter->epoch(), kKills + 1);
  EXPECT_GE(transmitter->next_index(), shared_->sent);
  test::send_burst(*transmitter, 1);
  shared_->end = transmitter->next_index();
  for (int i = 0; i < kReaders; ++i) {
    EXPECT_EQ(readers[i]->join(), 0);
    expect_exact(shared_->reports[i]);
  }
}

}  // namespace
}  // namespace lambdacast::fabric
