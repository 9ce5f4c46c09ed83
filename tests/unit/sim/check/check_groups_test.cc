// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {
namespace check_groups_test {

using What = GroupTold::What;
using wire::Qos;

// Three nodes in one view, of which 0 and 1 are in group 0 from the beginning and 2 joins it.
class GroupScript : public OrderScript {
 public:
  GroupScript() : OrderScript(3) {
    install(1, {0, 1, 2});
    tell(What::kView, 0, 0, {0});
    tell(What::kView, 0, 0, {0, 1});
    tell(What::kSnapshot, 0, 0);
    tell(What::kRestored, 1, 0);
    tell(What::kView, 1, 0, {0, 1});
    message({0, 1}, 0xa);
    tell(What::kSnapshot, 0, 0xa);
    tell(What::kView, 0, 0xa, {0, 1, 2});
    tell(What::kView, 1, 0xa, {0, 1, 2});
    tell(What::kRestored, 2, 0xa);
    tell(What::kView, 2, 0xa, {0, 1, 2});
    message({0, 1, 2}, 0xb);
  }

  // In the view of the nodes that the life is in.
  GroupTold& tell(What what, uint32_t life, uint64_t state, const Lives& members = {}) {
    GroupTold told;
    told.what = what;
    told.life = life;
    for (uint32_t i = 0; i < log_.views.size(); ++i) {
      if (log_.views[i].life == life) told.view = i;
    }
    told.number = 0x80000001;
    told.state = state;
    told.members = members;
    log_.group_told.push_back(std::move(told));
    return log_.group_told.back();
  }
  void message(const Lives& by, uint64_t state) {
    const uint32_t publication = publish(0, Qos::kTotallyOrdered);
    deliver(by, publication, index_++);
    for (const uint32_t life : by) tell(What::kMessage, life, state).publication = publication;
  }
  // They live to the end, and know the group with these members.
  void end(const Lives& by, const Lives& members) {
    for (const uint32_t life : by) {
      GroupStanding standing;
      standing.life = life;
      standing.informed = true;
      standing.groups.resize(kGroupNames.size());
      GroupStanding::Group& group = standing.groups[0];
      group.number = 0x80000001;
      group.members = members;
      group.in = group.wanted = std::find(members.begin(), members.end(), life) != members.end();
      log_.group_standings.push_back(std::move(standing));
    }
  }
  GroupStanding::Group& group_of(size_t standing) {
    return log_.group_standings[standing].groups[0];
  }
  [[nodiscard]] size_t found() const { return violations(check_groups); }

 private:
  uint64_t index_ = 0;
};

TEST(CheckGroups, all_is_well__expect_no_violation) {
  GroupScript script;
  EXPECT_EQ(script.found(), 0u);
  script.tell(What::kEnded, 1, 0xb);
  script.tell(What::kView, 0, 0xb, {0, 2});
  script.tell(What::kView, 2, 0xb, {0, 2});
  script.end({0, 1, 2}, {0, 2});
  EXPECT_EQ(script.found(), 0u);
}

TEST(CheckGroups, another_state_behind_one_message__expect_violation_of_those_who_go_on) {
  GroupScript script;
  script.message({0, 1}, 0xc);
  script.log_.group_told.back().state = 0xd;
  EXPECT_EQ(script.found(), 1u);
  script.install(2, {0, 2});
  EXPECT_EQ(script.found(), 0u) << "totally ordered does not bind who is excluded";
}

TEST(CheckGroups, other_views_of_the_group__expect_violation) {
  GroupScript missed;
  missed.tell(What::kView, 0, 0xb, {0, 2});
  EXPECT_EQ(missed.found(), 2u) << "by 1 and by 2";
  GroupScript other;
  other.tell(What::kView, 0, 0xb, {0, 2});
  other.tell(What::kView, 1, 0xb, {0, 1});
  other.tell(What::kView, 2, 0xb, {0, 2});
  EXPECT_EQ(other.found(), 1u);
}

TEST(CheckGroups, no_change_in_the_next_view__expect_the_same_views_from_all_who_are_in) {
  GroupScript script;
  script.install(2, {0, 1, 2});
  script.message({0, 1, 2}, 0xc);
  EXPECT_EQ(script.found(), 0u);
  script.tell(What::kView, 0, 0xc, {0, 1});
  EXPECT_EQ(script.found(), 2u) << "1 and 2 were told of nothing";
}

TEST(CheckGroups, no_view_can_follow__expect_the_same_views_as_far_as_they_got) {
  GroupScript script;
  script.install(2, {0, 1, 2});
  script.message({0, 1, 2}, 0xc);
  script.tell(What::kView, 0, 0xc, {0, 1});
  script.scenario_.membership.views.minimum_partition = 4;
  EXPECT_EQ(script.found(), 0u);
  script.tell(What::kView, 1, 0xc, {1, 2});
  EXPECT_EQ(script.found(), 1u) << "not a part of what 0 was told";
}

TEST(CheckGroups, a_view_without_itself__expect_violation) {
  GroupScript script;
  for (uint32_t life = 0; life < 3; ++life) script.tell(What::kView, life, 0xb, {0, 1});
  EXPECT_EQ(script.found(), 1u);
}

TEST(CheckGroups, a_message_before_the_first_view__expect_violation) {
  GroupScript script;
  script.tell(What::kEnded, 2, 0xb);
  script.message({2}, 0);
  EXPECT_EQ(script.found(), 1u);
}

TEST(CheckGroups, a_state_out_of_turn__expect_violation) {
  GroupScript twice;
  twice.tell(What::kRestored, 2, 0xa);
  EXPECT_EQ(twice.found(), 1u);
  GroupScript lost;
  lost.tell(What::kLost, 1, 0);
  EXPECT_EQ(lost.found(), 1u);
  GroupScript asked;
  asked.tell(What::kEnded, 1, 0xb);
  asked.tell(What::kSnapshot, 1, 0);
  EXPECT_EQ(asked.found(), 1u);
}

TEST(CheckGroups, a_state_that_nobody_had__expect_violation) {
  GroupScript script;
  script.tell(What::kEnded, 2, 0xb);
  script.tell(What::kRestored, 2, 0xc);
  EXPECT_EQ(script.found(), 1u);
}

TEST(CheckGroups, numbers_that_are_shared_or_change__expect_violation) {
  GroupScript shared;
  shared.tell(What::kView, 1, 0, {1}).name = 1;
  EXPECT_EQ(shared.found(), 1u);
  GroupScript changed;
  for (uint32_t life = 0; life < 3; ++life)
    changed.tell(What::kView, life, 0, {0, 1, 2}).number += life == 2 ? 1 : 0;
  EXPECT_EQ(changed.found(), 1u);
}

TEST(CheckGroups, not_settled_in_the_end__expect_violation) {
  GroupScript base;
  base.end({0, 1, 2}, {0, 1, 2});
  EXPECT_EQ(base.found(), 0u);
  GroupScript uninformed = base;
  uninformed.log_.group_standings[1].informed = false;
  EXPECT_EQ(uninformed.found(), 1u);
  GroupScript waits = base;
  waits.group_of(1).waiting = true;
  EXPECT_EQ(waits.found(), 1u);
  GroupScript unwilling = base;
  unwilling.group_of(1).wanted = false;
  EXPECT_EQ(unwilling.found(), 1u);
  GroupScript stateless = base;
  stateless.group_of(1).in = stateless.group_of(1).wanted = false;
  EXPECT_EQ(stateless.found(), 1u);
  GroupScript others = base;
  others.group_of(1).members = {0, 1};
  EXPECT_EQ(others.found(), 1u);
  others.log_.lives[1].left_ns = 1;
  EXPECT_EQ(others.found(), 0u) << "of who leaves nothing is asked";
}

}  // namespace check_groups_test
}  // namespace lambdacast::sim
