// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"
#include "verbs_device.h"

namespace lambdacast::net_verbs {
namespace {

TEST(Device, opened_expect_what_the_device_says) {
  const auto device = Device::open({.device = "lambdacast0", .pkey = 0x8001});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->path_mtu(), 4096u);
  EXPECT_EQ((*device)->pkey_index(), 1);
  EXPECT_TRUE((*device)->is_up());
  EXPECT_TRUE((*device)->interface().empty());
  EXPECT_EQ((*device)->mac().bytes[0] & 1, 0);
}

TEST(Device, with_an_address_expect_its_index) {
  const auto device = Device::open({.device = "lambdacast0", .gid = test::gid(test::kAddress)});
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->gid_index(), 1);
  EXPECT_EQ((*device)->gid(), test::gid(test::kAddress));
}

TEST(Device, what_is_not_there_expect_what_is_and_what_mends_it) {
  EXPECT_EQ(test::probe_error("device=rxe0"),
            "there is no verbs device rxe0; there are: lambdacast0");
  EXPECT_EQ(test::probe_error("device=lambdacast0,port=2"),
            "port 2 of verbs device lambdacast0 is not there; allowed: 1 to 1");
  const std::string gid = test::probe_error("device=lambdacast0,gid=10.9.9.9");
  EXPECT_EQ(gid.find("address 10.9.9.9 is none of verbs device lambdacast0, which has fe80::"), 0u)
      << gid;
  EXPECT_NE(gid.find("ip addr add 10.9.9.9/24 dev INTERFACE"), std::string::npos) << gid;
  EXPECT_NE(test::probe_error("device=lambdacast0,gid=fd00::1").find("ip addr add fd00::1/64"),
            std::string::npos);
  EXPECT_EQ(test::probe_error("device=lambdacast0,pkey=0x1234"),
            "pkey 0x1234 is not in the table of verbs device lambdacast0; allowed: 0xffff, 0x8001");
}

}  // namespace
}  // namespace lambdacast::net_verbs
