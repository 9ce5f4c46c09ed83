#include "endpoint/transport_template.h"

#include <gtest/gtest.h>

namespace lambdacast::endpoint {
namespace {

TEST(TransportTemplate, store__expect_the_bytes_of_store_transport) {
  wire::TransportHeader header;
  header.flags = wire::kFlagRepair;
  header.incarnation = 0x01020304;
  header.view = 0x05060708;
  header.fragment_offset = 0x090a0b0c;
  const TransportTemplate fixed(header);
  for (uint64_t i = 1; i < 5; ++i) {  // the second frame must not keep anything of the first
    header.qos = static_cast<wire::Qos>(i);
    header.frame_seq = 0x1112131415161718 * i;
    header.rel_seq = 0x2122232425262728 * i;
    header.timestamp_ns = 0x3132333435363738 * i;
    header.group = static_cast<uint32_t>(0x41424344 * i);
    header.message_bytes = static_cast<uint32_t>(0x51525354 * i);
    std::array<uint8_t, wire::kTransportHeaderBytes> wanted{};
    std::array<uint8_t, wire::kTransportHeaderBytes> found{};
    wire::store_transport(header, wanted.data());
    fixed.store(found.data(), header.qos, header.frame_seq, header.rel_seq, header.timestamp_ns,
                header.group, header.message_bytes);
    EXPECT_EQ(found, wanted);
  }
}

}  // namespace
}  // namespace lambdacast::endpoint
