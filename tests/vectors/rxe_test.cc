// SPDX-License-Identifier: BSD-3-Clause
// Linux Soft-RoCE's frames (rxe/README.md) against lib/wire. Usage: rxe_test DIRECTORY-OF-PCAPS.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>

#include "vectors/pcap.h"
#include "wire/roce/build.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/opcode.h"
#include "wire/roce/psn.h"

namespace lambdacast {
namespace {

using counters::DropReason;
using vectors::Frame;

std::string directory;

// What each capture holds, so that no loop below can pass on nothing.
struct Capture {
  const char* name;
  size_t datagrams;
  size_t connection_frames;
  size_t other_frames;
  bool ipv6;
  bool multicast;
};

constexpr Capture kCaptures[] = {
    {"mc_v4", 4, 0, 0, false, true},
    {"mc_v4_4096", 1, 0, 0, false, true},
    {"mc_v4_imm", 1, 0, 0, false, true},
    {"mc_v6", 4, 0, 0, true, true},
    {"mckey_v4", 3, 0, 8, false, true},
    {"perftest_bw_rc", 0, 20, 31, false, false},
    {"perftest_lat_ud", 10, 0, 29, false, false},
    {"ud_v4", 14, 0, 0, false, false},
    {"ud_v4_ah", 2, 0, 0, false, false},
    {"ud_v4_imm", 6, 0, 0, false, false},
    {"ud_v4_psnwrap", 4, 0, 0, false, false},
    {"ud_v4_se", 2, 0, 0, false, false},
    {"ud_v6", 8, 0, 0, true, false},
    {"ud_v6_ah", 2, 0, 0, true, false},
    {"ud_v6_imm", 2, 0, 0, true, false},
    {"ud_v6_linklocal", 2, 0, 0, true, false},
};

struct Parsed {
  Frame frame;
  wire::FrameView view;
  const uint8_t* payload() const { return frame.data() + view.payload_offset; }
};

// The RoCE frames of a capture.
std::vector<Parsed> roce_frames(const std::string& name) {
  std::vector<Parsed> parsed;
  for (Frame& frame : vectors::read_pcap(directory + "/" + name + ".pcap")) {
    wire::FrameView view;
    if (wire::parse_frame(frame.data(), frame.size(), view) == DropReason::kNone) {
      parsed.push_back({std::move(frame), view});
    }
  }
  return parsed;
}

std::vector<Parsed> datagrams(const std::string& name) {
  std::vector<Parsed> parsed = roce_frames(name);
  std::erase_if(parsed, [](const Parsed& p) { return !p.view.is_ud; });
  return parsed;
}

template <typename Function>
void for_each_datagram(const Function& function) {
  size_t seen = 0;
  for (const Capture& capture : kCaptures) {
    for (const Parsed& p : datagrams(capture.name)) {
      SCOPED_TRACE(capture.name + std::string(" datagram ") + std::to_string(seen++));
      function(capture, p);
    }
  }
  EXPECT_EQ(seen, 65u);
}

TEST(Rxe, EveryCaptureHoldsWhatItsReadmeSays) {
  for (const Capture& capture : kCaptures) {
    const auto roce = roce_frames(capture.name);
    const size_t all = vectors::read_pcap(directory + "/" + capture.name + ".pcap").size();
    EXPECT_EQ(datagrams(capture.name).size(), capture.datagrams) << capture.name;
    EXPECT_EQ(roce.size() - capture.datagrams, capture.connection_frames) << capture.name;
    EXPECT_EQ(all - roce.size(), capture.other_frames) << capture.name;
  }
}

TEST(Rxe, TcpAndIgmpAreRefusedAsNotUdp) {
  counters::DropCounters drops;
  for (const char* name : {"mckey_v4", "perftest_bw_rc", "perftest_lat_ud"}) {
    for (const Frame& frame : vectors::read_pcap(directory + "/" + name + ".pcap")) {
      wire::FrameView view;
      drops.add(wire::parse_frame(frame.data(), frame.size(), view));
    }
  }
  EXPECT_EQ(drops[DropReason::kNotUdp], 8u + 31 + 29);
  EXPECT_EQ(drops.total(), drops[DropReason::kNotUdp]);
}

TEST(Rxe, EveryIcrcIsOurs) {
  size_t checked = 0;
  for (const Capture& capture : kCaptures) {
    for (Parsed p : roce_frames(capture.name)) {
      ASSERT_TRUE(wire::icrc_ok(p.frame.data(), p.view)) << capture.name;
      p.frame[p.view.icrc_offset] ^= 1;
      ASSERT_FALSE(wire::icrc_ok(p.frame.data(), p.view)) << capture.name;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 85u);
}

TEST(Rxe, WhatAllDatagramsHaveInCommon) {
  for_each_datagram([](const Capture& capture, const Parsed& p) {
    EXPECT_EQ(p.view.udp_source_port, wire::roce_source_port(p.view.source_qpn));
    EXPECT_EQ(p.view.pkey, wire::kDefaultPkey);
    EXPECT_EQ(p.view.hop_limit, 64);
    EXPECT_EQ(p.view.is_ipv6, capture.ipv6);
    EXPECT_EQ(p.view.dont_fragment, !capture.ipv6);
    EXPECT_EQ(p.view.flow_label, 0u);
    EXPECT_FALSE(p.view.has_vlan || p.view.migration_request || p.view.ack_request);
    EXPECT_EQ(p.view.frame_bytes(), p.frame.size());
  });
}

TEST(Rxe, MulticastGidsComeWithTheirMacAndQueuePair) {
  for_each_datagram([](const Capture& capture, const Parsed& p) {
    EXPECT_EQ(wire::is_multicast(p.view.destination_gid), capture.multicast);
    EXPECT_EQ(p.view.destination_qpn == wire::kMulticastQpn, capture.multicast);
    if (capture.multicast) {
      EXPECT_EQ(wire::destination_mac(p.frame.data()), wire::multicast_mac(p.view.destination_gid));
    }
  });
}

TEST(Rxe, PayloadsAreWhatTheSenderWrote) {
  size_t checked = 0;
  for_each_datagram([&checked](const Capture& capture, const Parsed& p) {
    const std::string name = capture.name;
    if (name == "mckey_v4" || name == "perftest_lat_ud") return;
    const size_t bytes = p.view.payload_bytes;
    for (size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(p.payload()[i], static_cast<uint8_t>(bytes + 7 * i)) << i;
    }
    for (size_t i = 0; i < p.view.pad_bytes; ++i) EXPECT_EQ(p.payload()[bytes + i], 0);
    ++checked;
  });
  EXPECT_EQ(checked, 52u);
}

std::vector<uint32_t> sizes(const std::string& name) {
  std::vector<uint32_t> out;
  for (const Parsed& p : datagrams(name)) out.push_back(p.view.payload_bytes);
  return out;
}

TEST(Rxe, SizesOfTheReadmesTable) {
  EXPECT_EQ(sizes("ud_v4"),
            (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 65, 1000, 4096}));
  EXPECT_EQ(sizes("ud_v6"), (std::vector<uint32_t>{0, 1, 2, 3, 4, 64, 65, 4096}));
  EXPECT_EQ(sizes("ud_v4_imm"), (std::vector<uint32_t>{0, 1, 2, 3, 64, 4096}));
  EXPECT_EQ(sizes("mc_v4"), (std::vector<uint32_t>{64, 1, 2, 3}));
  EXPECT_EQ(sizes("mc_v4_4096"), (std::vector<uint32_t>{4096}));
}

TEST(Rxe, ImmediateSolicitedTrafficClassAndQkey) {
  for (const char* name : {"ud_v4_imm", "ud_v6_imm", "mc_v4_imm"}) {
    for (const Parsed& p : datagrams(name)) {
      EXPECT_TRUE(p.view.has_immediate);
      EXPECT_EQ(p.view.immediate, 0xdeadbeefu);
    }
  }
  for (const Parsed& p : datagrams("mckey_v4")) {
    EXPECT_EQ(p.view.qkey, 0x01234567u);
    EXPECT_EQ(p.view.immediate, p.view.source_qpn);
  }
  for_each_datagram([](const Capture& capture, const Parsed& p) {
    const std::string name = capture.name;
    EXPECT_EQ(p.view.solicited, name == "ud_v4_se");
    EXPECT_EQ(p.view.traffic_class, name.ends_with("_ah") ? 0xb8 : 0);
    EXPECT_EQ(p.view.qkey, name == "mckey_v4" ? 0x01234567u : 0x11111111u);
  });
}

TEST(Rxe, PsnCountsUpByOneAcrossTheWrap) {
  size_t steps = 0;
  for (const Capture& capture : kCaptures) {
    std::map<wire::Gid, uint32_t> last;
    for (const Parsed& p : datagrams(capture.name)) {
      const auto [at, first] = last.try_emplace(p.view.source_gid, p.view.psn);
      if (first) continue;
      EXPECT_EQ(wire::psn_distance(at->second, p.view.psn), 1) << capture.name;
      at->second = p.view.psn;
      ++steps;
    }
  }
  EXPECT_EQ(steps, 65u - 15 - 1);  // 15 captures have datagrams, one of them from two senders
  EXPECT_EQ(datagrams("ud_v4").front().view.psn, 0x123456u);
  EXPECT_EQ(datagrams("ud_v4_psnwrap").front().view.psn, 0xfffffeu);
  EXPECT_EQ(datagrams("ud_v4_psnwrap").back().view.psn, 1u);
}

TEST(Rxe, ConnectionFramesAreTakenApart) {
  std::map<std::string, int> by_name;
  for (const Parsed& p : roce_frames("perftest_bw_rc")) {
    ++by_name[wire::opcode_info(p.view.opcode).name];
    EXPECT_FALSE(p.view.is_ud);
    EXPECT_EQ(p.view.destination_qpn, 0x1fu);
  }
  EXPECT_EQ(by_name,
            (std::map<std::string, int>{
                {"RC_SEND_FIRST", 5}, {"RC_SEND_MIDDLE", 5}, {"RC_SEND_LAST", 5}, {"RC_ACK", 5}}));
}

TEST(Rxe, BuildFrameGivesTheSameBytes) {
  for_each_datagram([](const Capture&, const Parsed& p) {
    Frame built(wire::kMaxFrameBytes);
    built.resize(wire::build_frame(wire::fields_of(p.frame.data(), p.view),
                                   {p.payload(), p.view.payload_bytes}, built.data(),
                                   built.size()));
    EXPECT_EQ(built, p.frame);
  });
}

TEST(Rxe, FrameTemplateGivesTheSameBytes) {
  for_each_datagram([](const Capture&, const Parsed& p) {
    const wire::FrameTemplate flow(wire::fields_of(p.frame.data(), p.view));
    Frame built(wire::kMaxFrameBytes);
    std::copy_n(p.payload(), p.view.payload_bytes, built.data() + flow.header_bytes());
    built.resize(flow.finish(built.data(), p.view.payload_bytes, p.view.psn, p.view.ip_id));
    EXPECT_EQ(built, p.frame);
  });
}

}  // namespace
}  // namespace lambdacast

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: rxe_test DIRECTORY-OF-PCAPS\n";
    return 2;
  }
  lambdacast::directory = argv[1];
  return RUN_ALL_TESTS();
}
