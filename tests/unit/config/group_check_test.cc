// SPDX-License-Identifier: BSD-3-Clause
// The groups of data and of control.
#include "support.h"

namespace lambdacast::config {
namespace group_check_test {

std::string endpoint(const std::string& name, const std::string& address, const std::string& keys) {
  return "[[endpoint]]\nname = \"" + name + "\"\naddress = \"" + address +
         "\"\nport = \"net_null_" + name + "\"\n" + keys + "\n";
}
std::string v4(const std::string& multicast) {
  return endpoint("a", "10.0.0.1", "multicast = \"" + multicast + "\"");
}
std::string v6(const std::string& multicast) {
  return endpoint("a", "fd00::1", "multicast = \"" + multicast + "\"");
}
const std::string kAllowed4 = "; allowed: such as 239.255.77.1, with 239.255.77.2 for control\n";
const std::string kAllowed6 = "; allowed: such as ff15::4d:1, with ff15::4d:2 for control\n";

TEST(GroupCheck, none_behind_it_expect_a_problem) {
  EXPECT_EQ(problems_of(v4("239.255.255.255")),
            "t:5: endpoint.multicast: \"239.255.255.255\" leaves no group for control, which is "
            "the address behind it" +
                kAllowed4);
  EXPECT_EQ(problems_of(v6("ff15::ffff:ffff")),
            "t:5: endpoint.multicast: \"ff15::ffff:ffff\" leaves no group for control, which is "
            "the address behind it" +
                kAllowed6);
  EXPECT_EQ(problems_of(v4("239.255.255.254")), "");
  EXPECT_EQ(problems_of(v6("ff15::ffff:fffe")), "");
  EXPECT_EQ(problems_of(v4("239.255.77.255")), "");  // the next one is 239.255.78.0
}

TEST(GroupCheck, group_of_hosts_and_routers_expect_a_problem) {
  for (const char* group : {"224.0.0.0", "224.0.0.1", "224.0.0.22", "224.0.0.255"}) {
    EXPECT_EQ(problems_of(v4(group)), std::string("t:5: endpoint.multicast: \"") + group +
                                          "\" is in 224.0.0.0/24, the groups of hosts and routers" +
                                          kAllowed4);
  }
  EXPECT_EQ(problems_of(v4("224.0.1.0")), "");
  for (const char* group : {"ff02::1", "ff02::2", "ff05::2", "ff02::fb"}) {
    EXPECT_EQ(problems_of(v6(group)), std::string("t:5: endpoint.multicast: \"") + group +
                                          "\" is in ff0x::/112, the groups of hosts and routers" +
                                          kAllowed6);
  }
  EXPECT_EQ(problems_of(v6("ff02::1:ff00:1")),
            "t:5: endpoint.multicast: \"ff02::1:ff00:1\" is a solicited-node group (RFC 4291, "
            "2.7.1)" +
                kAllowed6);
  EXPECT_EQ(problems_of(v6("ff15::1")), "");
}

TEST(GroupCheck, scope_without_a_network_expect_a_problem) {
  for (const char* group : {"ff10::1", "ff11::1", "ff1f::1"}) {
    EXPECT_EQ(problems_of(v6(group)), std::string("t:5: endpoint.multicast: \"") + group +
                                          "\" has a scope that no network carries (RFC 4291, 2.7)" +
                                          kAllowed6);
  }
}

TEST(GroupCheck, control_among_groups_of_others_expect_a_problem) {
  EXPECT_EQ(problems_of(v6("ff15::4d:7fff:ffff")),
            "t:5: endpoint.multicast: \"ff15::4d:7fff:ffff\" makes ff15::4d:8000:0 the group of "
            "control, which is among those of groups with names, from ff15::4d:8000:0 on" +
                kAllowed6);
  EXPECT_EQ(problems_of(v6("ff02::1:feff:ffff")),
            "t:5: endpoint.multicast: \"ff02::1:feff:ffff\" makes ff02::1:ff00:0 the group of "
            "control, which is a solicited-node group (RFC 4291, 2.7.1)" +
                kAllowed6);
  EXPECT_EQ(problems_of(v6("ff15::4d:7fff:fffe")), "");
}

TEST(GroupCheck, two_fabrics_next_to_each_other_expect_a_problem) {
  const std::string allowed =
      "; allowed: the same for all of a fabric, and at least two apart for two fabrics\n";
  const auto b = [](const std::string& keys) { return endpoint("b", "10.0.0.2", keys); };
  EXPECT_EQ(problems_of(v4("239.255.77.1") + b("multicast = \"239.255.77.2\"")),
            "t:10: endpoint.multicast: \"239.255.77.2\" of endpoint \"b\" is the group of control "
            "of endpoint \"a\", 239.255.77.1" +
                allowed);
  EXPECT_EQ(problems_of(v4("239.255.77.2") + b("multicast = \"239.255.77.1\"")),
            "t:10: endpoint.multicast: \"239.255.77.1\" of endpoint \"b\" is followed by the group "
            "of endpoint \"a\", 239.255.77.2" +
                allowed);
  // Against the default, of whoever has no key of its own.
  EXPECT_EQ(problems_of(v4("239.255.77.2") + b("")),
            "t:5: endpoint.multicast: \"239.255.77.2\" of endpoint \"a\" is the group of control "
            "of endpoint \"b\", 239.255.77.1" +
                allowed);
  EXPECT_EQ(problems_of(v4("239.255.77.1") + b("multicast = \"239.255.77.3\"")), "");
  EXPECT_EQ(problems_of(v4("239.255.77.1") + b("multicast = \"239.255.77.1\"")), "");
  // They never meet.
  EXPECT_EQ(problems_of(v4("239.255.77.1") + b("multicast = \"239.255.77.2\"\nvlan = 7")), "");
}

}  // namespace group_check_test
}  // namespace lambdacast::config
