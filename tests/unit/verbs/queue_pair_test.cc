// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pair.h"

#include <gtest/gtest.h>

#include "wire/roce/frame.h"

namespace lambdacast::verbs {
namespace {

TEST(ReceiveQueue, GivesReceivesInTheirOrder) {
  ReceiveQueue queue(3, 2);
  EXPECT_TRUE(queue.empty());
  for (uint64_t id = 0; id < 9; ++id) {
    const ibv_sge sges[]{{id, 1, 2}, {id + 100, 3, 4}};
    queue.push(id, std::span(sges).first(id % 3));
    const PostedReceive posted = queue.pop();
    EXPECT_EQ(posted.wr_id, id);
    ASSERT_EQ(posted.sges.size(), id % 3);
    if (id % 3 == 2) {
      EXPECT_EQ(posted.sges[1].addr, id + 100);
    }
  }
  for (uint64_t id = 0; id < 3; ++id) queue.push(id, {});
  EXPECT_TRUE(queue.full());
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

TEST(FlowCache, LaysOutAFlowOncePerKey) {
  AddressHandle ah{};
  ah.serial = 5;
  ah.fields.source_gid = wire::gid_from_ipv4(0x0a000001);
  ah.fields.destination_gid = wire::gid_from_ipv4(0x0a000002);
  FlowCache flows;
  const FlowCache::Key key{5, 0x77, 0x1234, false, true};
  std::vector<uint8_t> frame(wire::kMaxFrameBytes);
  const auto view_of = [&](const FlowCache::Key& wanted) {
    const wire::FrameTemplate& flow = flows.find(wanted, ah, 0x42, 0x8001);
    const size_t bytes = flow.finish(frame.data(), 8, 9, 1);
    wire::FrameView view;
    EXPECT_EQ(wire::parse_frame(frame.data(), bytes, view), counters::DropReason::kNone);
    return view;
  };
  const wire::FrameView view = view_of(key);
  EXPECT_EQ(view.destination_qpn, 0x77u);
  EXPECT_EQ(view.source_qpn, 0x42u);
  EXPECT_EQ(view.qkey, 0x1234u);
  EXPECT_EQ(view.pkey, 0x8001);
  EXPECT_EQ(view.udp_source_port, wire::roce_source_port(0x42));
  EXPECT_TRUE(view.solicited);
  // Each field of the key counts, though the place in the cache may be the same.
  FlowCache::Key other = key;
  other.solicited = false;
  EXPECT_FALSE(view_of(other).solicited);
  other.has_immediate = true;
  EXPECT_TRUE(view_of(other).has_immediate);
  other.remote_qpn += 8;
  EXPECT_EQ(view_of(other).destination_qpn, 0x7fu);
  other.qkey = 1;
  EXPECT_EQ(view_of(other).qkey, 1u);
  EXPECT_EQ(view_of(key).qkey, 0x1234u);
}

}  // namespace
}  // namespace lambdacast::verbs
