// SPDX-License-Identifier: BSD-3-Clause
// Two bridges whose ports are on one embedded fabric; the test is the devices behind them.
#include "port_bridge.h"

#include <gtest/gtest.h>
#include <rte_cycles.h>
#include <unistd.h>

#include "config/address.h"
#include "wire/roce/build.h"
#include "wire/roce/frame.h"

namespace lambdacast::verbs {
namespace port_bridge_test {

const wire::Gid kGroup = wire::parse_gid("239.255.9.9").value();
constexpr uint64_t kPatienceTicksPerHz = 10;

config::Endpoint endpoint(uint32_t number, std::optional<uint16_t> vlan) {
  config::Endpoint made;
  made.name = "b" + std::to_string(number);
  made.address = *config::parse_ip("10.77.0." + std::to_string(number));
  made.port = "net_odbss_b" + std::to_string(number) + ",fabric=bridges" +
              std::to_string(::getpid()) + ",wavelengths=2,wavelength=C2" + std::to_string(number);
  made.vlan = vlan;
  made.mbufs = 1024;
  made.path_mtu = 4096;
  return made;
}

// A bridge and the device's end of its fabric.
class End {
 public:
  explicit End(uint32_t number, std::optional<uint16_t> vlan = {}) {
    const std::string name = "end" + std::to_string(::getpid()) + "-" + std::to_string(number);
    fabric_ = std::move(*fabric::Fabric::attach(name, {.wavelengths = 2, .slots = 256}));
    transmitter_ = *fabric_->claim(kDeviceWavelength);
    auto opened = PortBridge::open(endpoint(number, vlan), name);
    EXPECT_TRUE(opened) << opened.error().message;
    bridge = std::move(*opened);
    receiver_ = fabric_->listen(kOutsideWavelength);
  }

  void send(const wire::Gid& to, std::span<const uint8_t> payload,
            uint64_t departure = rte_rdtsc()) {
    wire::FrameFields fields;
    fields.source_mac = bridge->facts().mac;
    fields.source_gid = bridge->facts().gid;
    fields.destination_gid = to;
    if (wire::is_multicast(to)) fields.destination_mac = wire::multicast_mac(to);
    fields.destination_qpn = wire::is_multicast(to) ? wire::kMulticastQpn : 17;
    const size_t bytes = wire::build_frame(fields, payload, transmitter_.begin_frame(),
                                           transmitter_.max_frame_bytes());
    transmitter_.end_frame(static_cast<uint32_t>(bytes), departure);
    transmitter_.end_burst();
    bridge->pump();
  }
  // The payload of the next frame that comes in; empty: none within the time.
  std::vector<uint8_t> receive(End& other, uint64_t ticks) {
    const uint64_t end = rte_rdtsc() + ticks;
    while (rte_rdtsc() < end) {
      bridge->pump();
      other.bridge->pump();
      if (receiver_.peek() != fabric::Peek::kFrame) continue;
      std::vector<uint8_t> frame(fabric::kMaxFrameBytes + 64);
      EXPECT_TRUE(receiver_.copy_to(frame.data()));
      wire::FrameView view;
      EXPECT_EQ(wire::parse_frame(frame.data(), receiver_.length(), view),
                counters::DropReason::kNone);
      EXPECT_TRUE(wire::icrc_ok(frame.data(), view));
      receiver_.advance();
      return {&frame[view.payload_offset], &frame[view.payload_offset] + view.payload_bytes};
    }
    return {};
  }
  std::vector<uint8_t> receive(End& other) {
    return receive(other, kPatienceTicksPerHz * rte_get_tsc_hz());
  }
  bool hears_nothing(End& other) { return receive(other, rte_get_tsc_hz() / 20).empty(); }

  std::unique_ptr<PortBridge> bridge;

 private:
  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::Transmitter transmitter_;
  fabric::Receiver receiver_;
};

const std::vector<uint8_t> kHello{'h', 'e', 'l', 'l', 'o'};

TEST(PortBridge, CarriesToAPeerThatItHasToFindFirst) {
  End one(1), two(2);
  EXPECT_EQ(one.bridge->facts().gid, wire::gid_from_ipv4(0x0a4d0001));
  EXPECT_EQ(one.bridge->facts().path_mtu, 4096u);
  one.send(two.bridge->facts().gid, kHello);
  EXPECT_EQ(two.receive(one), kHello);
  const std::vector<uint8_t> longest(4096, 0x5a);
  two.send(one.bridge->facts().gid, longest);
  EXPECT_EQ(one.receive(two), longest);
}

TEST(PortBridge, CarriesToGroupsThatAreListenedTo) {
  End one(1), two(2);
  one.send(kGroup, kHello);
  EXPECT_TRUE(two.hears_nothing(one));
  two.bridge->listen(std::array{kGroup});
  one.send(kGroup, kHello);
  EXPECT_EQ(two.receive(one), kHello);
  two.bridge->listen({});
  one.send(kGroup, kHello);
  EXPECT_TRUE(two.hears_nothing(one));
}

TEST(PortBridge, CarriesInAVlanAndNotBetweenTwo) {
  {
    End one(1, 77), two(2, 77);
    one.send(two.bridge->facts().gid, kHello);
    EXPECT_EQ(two.receive(one), kHello);
  }
  End one(1, 77), two(2, 78);
  two.bridge->listen(std::array{kGroup});
  one.send(kGroup, kHello);
  EXPECT_TRUE(two.hears_nothing(one));
}

TEST(PortBridge, CarriesNothingToItsOwnDevice) {
  End one(1), two(2);
  one.send(one.bridge->facts().gid, kHello);
  EXPECT_TRUE(one.hears_nothing(two));
  EXPECT_TRUE(two.hears_nothing(one));
}

TEST(PortBridge, LetsAFrameGoWhenItIsTime) {
  End one(1), two(2);
  one.send(two.bridge->facts().gid, kHello);
  EXPECT_EQ(two.receive(one), kHello);
  const uint64_t departure = rte_rdtsc() + rte_get_tsc_hz() / 10;
  one.send(two.bridge->facts().gid, kHello, departure);
  EXPECT_EQ(two.receive(one), kHello);
  EXPECT_GE(rte_rdtsc(), departure);
}

TEST(PortBridge, RefusesAPortThatCannotBe) {
  config::Endpoint wrong = endpoint(1, {});
  wrong.port = "net_nonesuch0";
  const auto opened = PortBridge::open(wrong, "none");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message.find("endpoint b1: port net_nonesuch0 cannot be attached: "),
            0u);
}

}  // namespace port_bridge_test
}  // namespace lambdacast::verbs
