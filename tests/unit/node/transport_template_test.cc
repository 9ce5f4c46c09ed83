// SPDX-License-Identifier: BSD-3-Clause
#include "node/transport_template.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

// A header and the same as the publisher says it.
struct Example {
  wire::TransportHeader header;
  PacketInfo info{};
};

Example example(uint64_t i, wire::Kind kind) {
  Example e;
  e.header.flags = wire::kFlagRepair;
  e.header.incarnation = 0x01020304;
  e.header.view = 0x05060708;
  e.header.kind = e.info.kind = kind;
  e.header.qos = e.info.qos = static_cast<wire::Qos>(i);
  e.header.frame_seq = 0x1112131415161718 * i;
  e.header.rel_seq = 0x2122232425262728 * i;
  e.header.timestamp_ns = 0x3132333435363738 * i;
  e.header.group = e.info.group = static_cast<uint32_t>(0x41424344 * i);
  e.header.fragment_offset = e.info.fragment_offset = static_cast<uint32_t>(0x090a0b0c * i);
  e.header.message_bytes = e.info.message_bytes = static_cast<uint32_t>(0x51525354 * i);
  e.header.message_id = e.info.message_id = static_cast<uint32_t>(0x61626364 * i);
  e.header.fragment_bytes = e.info.fragment_bytes = static_cast<uint16_t>(0x7172 * i);
  return e;
}

TEST(TransportTemplate, store__expect_the_bytes_of_store_transport) {
  const TransportTemplate fixed(example(1, wire::Kind::kData).header);
  using wire::Kind;
  for (const Kind kind : {Kind::kData, Kind::kMessages, Kind::kFragment, Kind::kGroup,
                          Kind::kRequest, Kind::kRequestMessages, Kind::kRequestFragment}) {
    for (uint64_t i = 1; i < 5; ++i) {  // the second frame must not keep anything of the first
      const Example e = example(i, kind);
      std::array<uint8_t, wire::kFragmentHeaderBytes + 1> wanted{};
      std::array<uint8_t, wire::kFragmentHeaderBytes + 1> found{};
      wire::store_transport(e.header, wanted.data());
      fixed.store(found.data(), e.info, e.header.frame_seq, e.header.rel_seq,
                  e.header.timestamp_ns);
      EXPECT_EQ(found, wanted);
    }
  }
}

}  // namespace
}  // namespace lambdacast::node
