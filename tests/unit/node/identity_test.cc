// SPDX-License-Identifier: BSD-3-Clause
#include "node/identity.h"

#include <gtest/gtest.h>

#include <functional>

#include "test_identity.h"

namespace lambdacast::node {
namespace {

TEST(Identity, validate_a_good_one__expect_no_error) {
  EXPECT_TRUE(validate(test_identity(1)));
  EXPECT_TRUE(validate(test_identity(1, true)));
}

TEST(Identity, validate_with_one_field_wrong__expect_a_sentence_that_names_it) {
  struct Case {
    const char* mentions;
    std::function<void(EndpointIdentity&)> spoil;
  };
  const Case cases[] = {
      {"multicast address", [](auto& id) { id.gid = id.multicast_gid; }},
      {"not set", [](auto& id) { id.gid = wire::Gid{}; }},
      {"not a multicast", [](auto& id) { id.multicast_gid = id.gid; }},
      {"families", [](auto& id) { id.multicast_gid = test_identity(1, true).multicast_gid; }},
      {"control GID", [](auto& id) { id.control_gid = id.gid; }},
      {"control GID", [](auto& id) { id.control_gid = id.multicast_gid; }},
      {"control GID", [](auto& id) { id.control_gid = test_identity(1, true).control_gid; }},
      {"data queue pair", [](auto& id) { id.data_qpn = 1; }},
      {"data queue pair", [](auto& id) { id.data_qpn = wire::kMulticastQpn; }},
      {"control queue pair", [](auto& id) { id.control_qpn = 0; }},
      {"differ", [](auto& id) { id.control_qpn = id.data_qpn; }},
      {"partition key", [](auto& id) { id.pkey = 0x8000; }},
      {"path MTU 1000", [](auto& id) { id.path_mtu = 1000; }},
      {"path MTU 128", [](auto& id) { id.path_mtu = 128; }},
      {"path MTU 8192", [](auto& id) { id.path_mtu = 8192; }},
  };
  for (const Case& c : cases) {
    EndpointIdentity identity = test_identity(1);
    c.spoil(identity);
    const auto result = validate(identity);
    ASSERT_FALSE(result) << c.mentions;
    EXPECT_NE(result.error().message.find(c.mentions), std::string::npos) << result.error().message;
  }
}

TEST(Identity, follow_the_multicast_gid__expect_the_control_gid_beside_it) {
  EXPECT_EQ(control_gid_of(wire::gid_from_ipv4(0xef000055)), wire::gid_from_ipv4(0xef000056));
  EXPECT_EQ(control_gid_of(wire::gid_from_ipv4(0xef0000ff)), wire::gid_from_ipv4(0xef000100));
  EXPECT_EQ(wire::format(control_gid_of(wire::parse_gid("ff0e::1:ffff").value())), "ff0e::2:0");
}

}  // namespace
}  // namespace lambdacast::node
