// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/outbox.h"

#include "support.h"

namespace lambdacast::ctl {
namespace {

TEST(OutboxTest, send__expect_all_at_the_other_end) {
  test::Pair pair;
  Outbox outbox;
  EXPECT_TRUE(outbox.empty());
  outbox.add("one");
  outbox.add("two");
  EXPECT_EQ(outbox.bytes(), 6u);
  EXPECT_EQ(outbox.send(pair.ours.get()), Outbox::Sent::kSome);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(test::read_all(pair.theirs.get()), "onetwo");
}

TEST(OutboxTest, send_to_one_who_does_not_read__expect_the_rest_to_wait_and_to_come_later) {
  test::Pair pair;
  Outbox outbox;
  std::string text(8 << 20, 'x');
  text.back() = 'y';
  outbox.add(text);
  EXPECT_EQ(outbox.send(pair.ours.get()), Outbox::Sent::kSome);
  EXPECT_EQ(outbox.send(pair.ours.get()), Outbox::Sent::kNothing);
  EXPECT_FALSE(outbox.empty());
  std::string got;
  while (!outbox.empty()) {
    got += test::read_all(pair.theirs.get());
    ASSERT_EQ(outbox.send(pair.ours.get()), Outbox::Sent::kSome);
  }
  EXPECT_EQ(got + test::read_all(pair.theirs.get()), text);
}

TEST(OutboxTest, send_to_one_who_has_gone__expect_broken) {
  test::Pair pair;
  Outbox outbox;
  outbox.add("x");
  { const Descriptor gone = std::move(pair.theirs); }
  EXPECT_EQ(outbox.send(pair.ours.get()), Outbox::Sent::kBroken);
}

}  // namespace
}  // namespace lambdacast::ctl
