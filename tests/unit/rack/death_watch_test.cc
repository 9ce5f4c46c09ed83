// SPDX-License-Identifier: BSD-3-Clause
#include "rack/death_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>

namespace lambdacast::rack {
namespace {

wire::StreamName life(uint8_t node, uint32_t incarnation = 1) {
  wire::StreamName name;
  name.gid.bytes[15] = node;
  name.qpn = 0x100;
  name.incarnation = incarnation;
  return name;
}

// What a watch was told of, for a test that waits for it.
class Told {
 public:
  DeathWatch::Over over() {
    return [this](const wire::StreamName& name) {
      node_ = name.gid.bytes[15];
      incarnation_ = name.incarnation;
      count_.fetch_add(1);
      count_.notify_all();
    };
  }
  void await(uint32_t count) {
    for (uint32_t now = count_; now < count; now = count_) count_.wait(now);
  }
  [[nodiscard]] uint32_t count() const { return count_; }
  [[nodiscard]] uint32_t incarnation() const { return incarnation_; }
  [[nodiscard]] uint32_t node() const { return node_; }

 private:
  std::atomic<uint32_t> node_{0}, incarnation_{0}, count_{0};
};

// Two ports of this process, on wavelengths 0 and 1.
class DeathWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t wavelength : {0, 1}) {
      ports_[wavelength] = *fabric::Fabric::attach(fabric_, {.wavelengths = 2, .slots = 64});
      ASSERT_TRUE(ports_[wavelength]->claim(wavelength));
    }
  }
  std::unique_ptr<DeathWatch> watch(uint32_t wavelength, const wire::StreamName& name, Told& told) {
    auto begun = DeathWatch::begin(fabric_, {{wavelength, name}}, told.over());
    EXPECT_TRUE(begun) << begun.error().message;
    return std::move(*begun);
  }

  const std::string fabric_ = "deaths-" + std::to_string(::getpid());
  std::unique_ptr<fabric::Fabric> ports_[2];
};

TEST_F(DeathWatchTest, the_other_one_ends__expect_its_life_told) {
  Told told, unheard;
  const auto one = watch(0, life(1), told);
  auto other = watch(1, life(2, 7), unheard);
  other.reset();
  told.await(1);
  EXPECT_EQ(told.node(), 2u);
  EXPECT_EQ(told.incarnation(), 7u);
}

TEST_F(DeathWatchTest, another_life_on_the_same_wavelength__expect_each_end_told_by_its_number) {
  Told told, unheard;
  const auto one = watch(0, life(1), told);
  for (const uint32_t incarnation : {7u, 8u}) {
    auto other = watch(1, life(2, incarnation), unheard);
    other.reset();
    told.await(incarnation - 6);
    EXPECT_EQ(told.incarnation(), incarnation);
  }
}

TEST_F(DeathWatchTest, the_watch_has_stopped__expect_nothing_told_and_its_own_name_kept) {
  Told told, seen;
  const auto one = watch(0, life(1), told);
  auto other = watch(1, life(2), seen);
  one->stop();
  other.reset();
  EXPECT_EQ(told.count(), 0u);
  const auto third = watch(1, life(3), seen);
  EXPECT_FALSE(ports_[0]->watch_owners().look(0).gone);
}

TEST_F(DeathWatchTest, a_wavelength_that_nobody_has__expect_an_error) {
  ports_[1].reset();
  EXPECT_FALSE(DeathWatch::begin(fabric_, {{1, life(2)}}, {}));
}

}  // namespace
}  // namespace lambdacast::rack
