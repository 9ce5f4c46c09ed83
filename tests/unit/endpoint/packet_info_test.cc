#include "endpoint/packet_info.h"

#include <gtest/gtest.h>

namespace lambdacast::endpoint {
namespace {

// The accounting fields come first, the hot small ones last; all within one line.
TEST(PacketInfo, layout__expect_one_line_without_holes) {
  EXPECT_EQ(sizeof(PacketInfo), 64u);
  EXPECT_EQ(offsetof(PacketInfo, frame_seq), 0u);
  EXPECT_EQ(offsetof(PacketInfo, group), 32u);
  EXPECT_EQ(offsetof(PacketInfo, peer), 56u);
  EXPECT_EQ(offsetof(PacketInfo, flags), 63u);
}

}  // namespace
}  // namespace lambdacast::endpoint
