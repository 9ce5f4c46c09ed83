// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/addressee.h"

#include <gtest/gtest.h>

namespace lambdacast::wire {
namespace {

using counters::DropReason;

FrameView datagram(uint32_t destination_qpn) {
  FrameView view;
  view.is_ud = true;
  view.destination_qpn = destination_qpn;
  view.pkey = 0x8001;
  view.qkey = 7;
  return view;
}

TEST(Addressee, partition_keys__expect_one_partition_and_a_full_member) {
  EXPECT_TRUE(pkeys_match(0xffff, 0xffff));
  EXPECT_TRUE(pkeys_match(0xffff, 0x7fff));
  EXPECT_TRUE(pkeys_match(0x0001, 0x8001));
  EXPECT_FALSE(pkeys_match(0x7fff, 0x7fff));  // two limited members
  EXPECT_FALSE(pkeys_match(0x8001, 0x8002));
  EXPECT_FALSE(pkeys_match(0x8000, 0x8000));  // key 0 is no key
}

TEST(Addressee, address__expect_groups_with_the_multicast_number_and_others_without) {
  EXPECT_EQ(check_address(datagram(17), Destination::kOwnGid), DropReason::kNone);
  EXPECT_EQ(check_address(datagram(kMulticastQpn), Destination::kGroup), DropReason::kNone);
  EXPECT_EQ(check_address(datagram(kMulticastQpn), Destination::kOwnGid),
            DropReason::kMulticastQpn);
  EXPECT_EQ(check_address(datagram(17), Destination::kGroup), DropReason::kMulticastQpn);
}

TEST(Addressee, several_things_wrong__expect_the_first_in_the_list_of_reasons) {
  FrameView view = datagram(kMulticastQpn);
  EXPECT_EQ(check_address(view, Destination::kOther), DropReason::kWrongDestinationGid);
  view.is_ud = false;
  EXPECT_EQ(check_address(view, Destination::kOther), DropReason::kOpcodeNotUd);
  EXPECT_EQ(check_keys(view, 0x8002, 8), DropReason::kPkeyMismatch);
  EXPECT_EQ(check_keys(view, 0x8001, 8), DropReason::kQkeyMismatch);
  EXPECT_EQ(check_keys(view, 0x0001, 7), DropReason::kNone);
}

}  // namespace
}  // namespace lambdacast::wire
