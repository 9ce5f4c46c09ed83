// SPDX-License-Identifier: BSD-3-Clause
#include "port.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lambdacast::verbs {
namespace {

Settings settings(const std::string& wavelength = "") {
  Settings s;
  s.fabric = "verbs-port-" + std::to_string(::getpid());
  s.wavelength = wavelength;
  s.wavelengths = 2;
  s.slots = 64;
  return s;
}

std::string error_of(const Settings& s) {
  const auto port = Port::open(s);
  return port ? "" : port.error().message;
}

TEST(Port, TakesTheFirstWavelengthThatIsFree) {
  const auto first = Port::open(settings());
  const auto second = Port::open(settings());
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)->wavelength(), 0u);
  EXPECT_EQ((*second)->wavelength(), 1u);
  EXPECT_NE(error_of(settings()).find("All wavelengths of fabric verbs-port-"), std::string::npos);
  EXPECT_EQ((*first)->lit().size(), 2u);
}

TEST(Port, TakesTheWavelengthItIsTold) {
  const auto port = Port::open(settings("C22"));
  ASSERT_TRUE(port);
  EXPECT_EQ((*port)->wavelength(), 1u);
  EXPECT_NE(error_of(settings("C22")).find("already has a transmitter"), std::string::npos);
  EXPECT_NE(error_of(settings("C23")).find("wavelength 2 is not on fabric"), std::string::npos);
  EXPECT_NE(error_of(settings("X1")).find("LAMBDACAST_WAVELENGTH=X1"), std::string::npos);
}

TEST(Port, RefusesAFabricOfSmallFrames) {
  const Settings s = settings();
  const auto small = fabric::Fabric::attach(s.fabric, {.frame_bytes = 128});
  ASSERT_TRUE(small);
  Settings joining;
  joining.fabric = s.fabric;
  EXPECT_NE(error_of(joining).find("carries frames of 128 bytes"), std::string::npos);
}

// Ticks for a number of bits at a rate, within the rounding of one division.
void expect_ticks(uint64_t got, const Port& port, uint64_t bits, uint64_t bps) {
  EXPECT_NEAR(static_cast<double>(got),
              static_cast<double>(bits) * static_cast<double>(port.ticks_per_second()) /
                  static_cast<double>(bps),
              2.0);
}

TEST(Port, AFrameLeavesWhenTheLineHasSentIt) {
  Settings s = settings();
  s.rate_bps = 1'000'000'000;
  const auto opened = Port::open(s);
  ASSERT_TRUE(opened);
  Port& port = **opened;
  const uint64_t now = port.ticks_per_second();
  const uint64_t first = port.departure(now, 60);
  expect_ticks(first - now, port, 8 * 84, s.rate_bps);
  const uint64_t second = port.departure(now, 1000);
  expect_ticks(second - first, port, 8 * 1024, s.rate_bps);
  const uint64_t later = second + port.ticks_per_second();
  expect_ticks(port.departure(later, 60) - later, port, 8 * 84, s.rate_bps);
}

TEST(Port, AtMostSoManyFramesLeaveASecond) {
  Settings s = settings();
  s.rate_pps = 1000;
  const auto opened = Port::open(s);
  ASSERT_TRUE(opened);
  Port& port = **opened;
  const uint64_t now = port.ticks_per_second();
  EXPECT_EQ(port.departure(now, 60), now);  // the line was idle
  EXPECT_EQ(port.departure(now, 60), now + port.ticks_per_second() / 1000);
  EXPECT_EQ(port.departure(now, 60), now + 2 * (port.ticks_per_second() / 1000));
}

}  // namespace
}  // namespace lambdacast::verbs
