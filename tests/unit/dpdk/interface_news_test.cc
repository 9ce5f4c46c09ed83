// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/interface_news.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cstring>

namespace lambdacast::dpdk {
namespace {

using Bytes = std::vector<uint8_t>;

template <typename T>
void add(Bytes& bytes, const T& value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Bytes message(uint16_t type, uint32_t index, uint32_t flags, const std::string& name,
              uint8_t family = AF_UNSPEC) {
  ifinfomsg info{};
  info.ifi_family = family;
  info.ifi_index = static_cast<int>(index);
  info.ifi_flags = flags;
  Bytes body;
  add(body, info);
  add(body, rtattr{8, IFLA_MTU});  // another attribute before the name
  add(body, uint32_t{1500});
  add(body, rtattr{static_cast<uint16_t>(sizeof(rtattr) + name.size() + 1), IFLA_IFNAME});
  body.insert(body.end(), name.begin(), name.end());
  body.push_back(0);
  nlmsghdr header{};
  header.nlmsg_len = static_cast<uint32_t>(sizeof header + body.size());
  header.nlmsg_type = type;
  Bytes all;
  add(all, header);
  all.insert(all.end(), body.begin(), body.end());
  all.resize((all.size() + 3) & ~size_t{3});
  return all;
}

TEST(InterfaceNewsTest, hear_of_links__expect_each_with_its_name_and_state) {
  Bytes bytes = message(RTM_NEWLINK, 7, IFF_UP | IFF_RUNNING, "lcv0");
  for (const Bytes& more :
       {message(RTM_NEWLINK, 7, IFF_UP, "lcv0"), message(RTM_NEWLINK, 8, IFF_RUNNING, "eth12"),
        message(RTM_DELLINK, 7, IFF_UP | IFF_RUNNING, "lcv0")}) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  const std::vector<InterfaceNews> wanted = {{7, "lcv0", false, true},
                                             {7, "lcv0", false, false},
                                             {8, "eth12", false, false},
                                             {7, "lcv0", true, false}};
  EXPECT_EQ(interface_news(bytes), wanted);
}

TEST(InterfaceNewsTest, leave_a_bridge__expect_it_not_taken_for_the_end_of_the_interface) {
  EXPECT_TRUE(interface_news(message(RTM_DELLINK, 7, IFF_UP, "lcv0", AF_BRIDGE)).empty());
  EXPECT_TRUE(interface_news(message(RTM_NEWADDR, 7, IFF_UP, "lcv0")).empty());
}

TEST(InterfaceNewsTest, cut_it_anywhere_or_lie_about_lengths__expect_no_harm) {
  const Bytes whole = message(RTM_NEWLINK, 7, IFF_UP | IFF_RUNNING, "lcv0");
  for (size_t bytes = 0; bytes < whole.size() - 3; ++bytes) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes));
    EXPECT_TRUE(interface_news(cut).empty()) << bytes;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const uint8_t value : {0, 1, 3, 0x7f, 0xff}) {
      Bytes wrong = whole;
      wrong[at] = value;
      EXPECT_LE(interface_news(wrong).size(), 1u);
    }
  }
}

TEST(InterfaceMonitorTest, listen_where_nothing_happens__expect_nothing_and_nothing_lost) {
  InterfaceMonitor monitor;
  bool lost = true;
  (void)monitor.take(lost);
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace lambdacast::dpdk
