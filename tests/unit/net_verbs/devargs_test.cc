// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"
#include "verbs_devargs.h"

namespace lambdacast::net_verbs {
namespace {

std::string error_of(const char* text) {
  const auto parsed = parse_devargs(text);
  return parsed ? "" : parsed.error().message;
}

TEST(Devargs, all_given_expect_all_read) {
  const auto parsed = parse_devargs(
      "device=mlx5_0,port=2,gid=fd77::1,qkey=0x22,pkey=0x8001,group=ff15::4d:1,group=ff15::4d:2,"
      "loopback=1");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->device, "mlx5_0");
  EXPECT_EQ(parsed->port, 2);
  EXPECT_EQ(*parsed->gid, test::gid("fd77::1"));
  EXPECT_EQ(parsed->qkey, 0x22u);
  EXPECT_EQ(parsed->pkey, 0x8001);
  EXPECT_TRUE(parsed->loopback);
  ASSERT_EQ(parsed->groups.size(), 2u);
  EXPECT_EQ(parsed->groups[1], test::gid("ff15::4d:2"));
}

TEST(Devargs, device_alone_expect_the_defaults) {
  const auto parsed = parse_devargs("device=rxe0");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->port, 1);
  EXPECT_FALSE(parsed->gid);
  EXPECT_EQ(parsed->pkey, 0xffff);
  EXPECT_FALSE(parsed->loopback);
  EXPECT_TRUE(parsed->groups.empty());
}

TEST(Devargs, what_is_not_allowed_expect_a_sentence_with_value_and_allowed) {
  EXPECT_EQ(error_of("port=1"), "device is missing; allowed: a name that ibv_devices lists");
  EXPECT_EQ(error_of("device=a,port=0"), "port=0 is not allowed; allowed: 1 to 254");
  EXPECT_EQ(error_of("device=a,qkey=0x80000000"),
            "qkey=0x80000000 is not allowed; allowed: 0 to 0x7fffffff");
  EXPECT_EQ(error_of("device=a,pkey=65536"), "pkey=65536 is not allowed; allowed: 0 to 0xffff");
  EXPECT_EQ(error_of("device=a,gid=239.1.1.1"),
            "gid=239.1.1.1 is not allowed; allowed: an IPv4 or IPv6 unicast address");
  EXPECT_EQ(error_of("device=a,group=10.0.0.1"),
            "group=10.0.0.1 is not allowed; allowed: at most 8 IPv4 or IPv6 multicast addresses");
  EXPECT_EQ(error_of("device=a,device=b"), "device is given twice; allowed: once");
  EXPECT_NE(error_of("device=a,colour=red").find("known: device="), std::string::npos);
}

TEST(Devargs, nine_groups_expect_a_sentence) {
  std::string text = "device=a";
  for (int i = 1; i <= 8; ++i) text += ",group=239.0.0." + std::to_string(i);
  EXPECT_EQ(error_of(text.c_str()), "");
  text += ",group=239.0.0.9";
  EXPECT_NE(error_of(text.c_str()).find("at most 8"), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::net_verbs
