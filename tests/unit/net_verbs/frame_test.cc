// SPDX-License-Identifier: BSD-3-Clause
// A completion's message becomes the frame that carried it, byte by byte, but for what the device
// keeps to itself.
#include "support.h"
#include "verbs_frame.h"

namespace lambdacast::net_verbs {
namespace {

constexpr size_t kRoom = 128;

struct Case {
  const char* source;
  const char* destination;
  bool has_immediate;
  size_t bytes;
};

wire::FrameFields fields_of(const Case& each) {
  wire::FrameFields fields;
  fields.source_gid = test::gid(each.source);
  fields.destination_gid = test::gid(each.destination);
  const bool group = wire::is_multicast(fields.destination_gid);
  fields.destination_mac =
      group ? wire::multicast_mac(fields.destination_gid) : wire::MacAddress{{2, 0, 0, 0, 0, 9}};
  fields.traffic_class = 0x2a;
  fields.hop_limit = 7;
  fields.ip_id = 0x1234;
  fields.flow_label = 0xabcde;
  fields.source_qpn = 0x123456;
  fields.destination_qpn = group ? wire::kMulticastQpn : 0x11;
  fields.qkey = test::kQkey;
  fields.pkey = 0x8001;
  fields.udp_source_port = wire::roce_source_port(fields.source_qpn);
  fields.has_immediate = each.has_immediate;
  fields.immediate = each.has_immediate ? 0xdeadbeef : 0;
  return fields;
}

// A buffer as the device leaves it: GRH and message, the former from the frame as it was sent.
// `stale`: what an earlier use has left in front of an IPv4 header.
std::vector<uint8_t> received(const test::Frame& frame, const wire::FrameView& view,
                              uint8_t stale) {
  std::vector<uint8_t> buffer(kRoom, 0xee);
  std::fill(buffer.end() - kGrhBytes, buffer.end(), stale);
  const size_t ip = view.is_ipv6 ? 40 : 20;
  std::copy_n(frame.begin() + view.l3_offset, ip, buffer.end() - long(ip));
  buffer.insert(buffer.end(), frame.begin() + view.payload_offset,
                frame.begin() + view.payload_offset + view.payload_bytes);
  buffer.resize(buffer.size() + kMaxTailBytes + 8, 0xee);
  return buffer;
}

Station station() { return {{{2, 0, 0, 0, 0, 9}}, 0x11, test::kQkey, 0x8001}; }

TEST(MakeFrame, of_any_kind_and_length_expect_the_frame_as_sent) {
  const std::pair<const char*, const char*> routes[] = {{"10.0.0.2", "10.0.0.1"},
                                                        {"10.0.0.2", "239.1.1.1"},
                                                        {"fd77::2", "fd77::1"},
                                                        {"fd77::2", "ff15::4d:1"}};
  for (const auto& [source, destination] : routes) {
    for (const bool immediate : {false, true}) {
      for (const size_t bytes : {0u, 1u, 2u, 3u, 4u, 63u, 64u, 65u, 1024u, 4095u, 4096u}) {
        const Case each{source, destination, immediate, bytes};
        const wire::FrameFields fields = fields_of(each);
        test::Frame sent = test::frame_of(fields, test::message(7, bytes));
        std::fill(sent.end() - 4, sent.end(), uint8_t{0});  // the ICRC
        wire::FrameView view;
        ASSERT_EQ(wire::parse_frame(sent.data(), sent.size(), view), counters::DropReason::kNone);
        for (const uint8_t stale : {0x00, 0x60, 0xff}) {
          std::vector<uint8_t> buffer = received(sent, view, stale);
          const Message message{static_cast<uint32_t>(bytes), fields.source_qpn, immediate,
                                fields.immediate};
          const Framed framed = make_frame(station(), message, buffer.data() + kRoom);
          ASSERT_EQ(framed.bytes, sent.size());
          ASSERT_EQ(framed.front_bytes, view.payload_offset);
          const auto first = buffer.begin() + long(kRoom - framed.front_bytes);
          ASSERT_EQ(test::Frame(first, first + framed.bytes), sent)
              << source << " " << destination << " " << immediate << " " << bytes;
          EXPECT_EQ(*(first - 1), 0xee) << "written in front of it";
          EXPECT_EQ(*(first + framed.bytes), 0xee) << "written behind it";
        }
      }
    }
  }
}

TEST(ComesFrom, of_either_family_expect_the_source_alone) {
  for (const auto& [source, other] :
       {std::pair{"10.0.0.2", "10.0.0.1"}, std::pair{"fd77::2", "fd77::1"}}) {
    const test::Frame sent = test::frame_of(fields_of({source, other, false, 8}), {8, 0});
    wire::FrameView view;
    ASSERT_EQ(wire::parse_frame(sent.data(), sent.size(), view), counters::DropReason::kNone);
    const std::vector<uint8_t> buffer = received(sent, view, 0);
    const uint8_t* const grh = buffer.data() + kRoom - kGrhBytes;
    EXPECT_TRUE(comes_from(grh, test::gid(source)));
    EXPECT_FALSE(comes_from(grh, test::gid(other)));
    EXPECT_FALSE(comes_from(grh, test::gid(source[0] == '1' ? "fd77::2" : "10.0.0.2")));
  }
}

TEST(MakeFrame, of_a_bad_route_header_expect_no_frame_and_nothing_written) {
  for (const uint8_t first : {0x00, 0x45, 0x50, 0xf0}) {
    std::vector<uint8_t> buffer(kRoom + 64, 0xee);
    std::fill_n(buffer.begin() + kRoom - kGrhBytes, kGrhBytes, uint8_t{0x11});
    buffer[kRoom - kGrhBytes] = first;
    const std::vector<uint8_t> before = buffer;
    const Framed framed = make_frame(station(), {16, 5, false, 0}, buffer.data() + kRoom);
    EXPECT_EQ(framed.front_bytes, 0u);
    EXPECT_EQ(buffer, before);
  }
}

// An IPv4 header whose checksum is wrong is none: with a 6 in front of it the device means IPv6.
TEST(MakeFrame, of_an_ipv6_header_that_ends_like_ipv4_expect_ipv6) {
  const Case each{"fd77::2", "fd77::4500:1", false, 8};
  test::Frame sent = test::frame_of(fields_of(each), test::message(1, 8));
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(sent.data(), sent.size(), view), counters::DropReason::kNone);
  std::vector<uint8_t> buffer = received(sent, view, 0);
  buffer[kRoom - 20] = 0x45;  // in the source address
  const Framed framed = make_frame(station(), {8, 5, false, 0}, buffer.data() + kRoom);
  EXPECT_EQ(framed.front_bytes, 14u + 40 + 8 + 12 + 8);
}

}  // namespace
}  // namespace lambdacast::net_verbs
