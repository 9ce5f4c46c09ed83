// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "counted_snapshot.h"
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(HandlersTest, locks_held_and_waited_for__expect_a_row_each_with_holder_and_token) {
  test::CountedSnapshot counted;
  Snapshot snapshot = counted.snapshot();
  node::LockStatus lock;
  std::strcpy(lock.name.data(), "printer");
  lock.handler = 5;
  lock.holder.gid = wire::gid_from_ipv4(0x0a4d0002);
  lock.holder.qpn = 17;
  lock.holder.incarnation = 42;
  lock.token = {7, 3, 9};
  lock.waiting = 2;
  node::LockStatus own = lock;
  own.handler = 6;
  own.own = true;
  node::LockStatus nobody = lock;
  nobody.handler = 7;
  nobody.holder = {};
  snapshot.endpoints[0].locks = {lock, own, nobody};
  const Table table = find_subject("handlers")->table(snapshot);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(figure(table, 0, "name"), Value("printer"));
  EXPECT_EQ(figure(table, 0, "handler"), Value("5"));
  EXPECT_EQ(figure(table, 0, "holder"), Value("10.77.0.2:17/42"));
  EXPECT_EQ(figure(table, 0, "token"), Value("7/3.9"));
  EXPECT_EQ(figure(table, 0, "queued"), number(2));
  EXPECT_EQ(figure(table, 1, "holder"), Value("this node"));
  EXPECT_EQ(figure(table, 2, "holder"), Value("-"));
}

}  // namespace
}  // namespace lambdacast::telemetry
