// SPDX-License-Identifier: BSD-3-Clause
// Logs of one call, written by hand: life 0 calls, and lives 1 and 2 are the group's members.
#include <gtest/gtest.h>

#include "lambdacast/call.h"
#include "order_script.h"
#include "sim/check/coverage.h"
#include "sim/multicast/call_host.h"

namespace lambdacast::sim {
namespace check_calls_test {

using What = CallTold::What;
using End = Outcome::What;
using Fate = lambdacast::Asked::Fate;
using Delivered = Outcome::Delivered;

class CallScript : public OrderScript {
 public:
  explicit CallScript(Want want = Want::kAnswers, uint8_t k = 0) : OrderScript(3) {
    scenario_.groups.on = scenario_.groups.calls = true;
    install(1, {0, 1, 2});
    CallTold& told = add(What::kCalled, 0);
    told.want = static_cast<uint8_t>(want);
    told.k = k;
    told.qos = wire::Qos::kMajority;
    for (const uint32_t life : {1, 2}) {
      GroupStanding standing;
      standing.life = life;
      standing.groups.resize(1);
      standing.groups[0].in = true;
      log_.group_standings.push_back(standing);
    }
  }
  CallTold& add(What what, uint32_t life) {
    CallTold told;
    told.what = what;
    told.life = life;
    told.caller = 0;
    told.number = 1;
    told.view = 0;
    log_.calls_told.push_back(told);
    return log_.calls_told.back();
  }
  void request(uint32_t life, bool asked = true, uint64_t index = 5) {
    CallTold& told = add(What::kRequested, life);
    told.asked = asked;
    told.qos = wire::Qos::kMajority;
    told.epoch = 1;
    told.index = index;
  }
  void answer(uint32_t life) {
    add(What::kAnswering, life);
    CallTold& told = add(What::kAnswer, 0);
    told.from = life;
    told.content = answer_to(0, 1, life);
  }
  void end(End end, std::vector<CallTold::Fate> fates, Delivered delivered = Delivered::kYes) {
    CallTold& told = add(What::kEnded, 0);
    told.outcome = static_cast<uint8_t>(end);
    told.delivered = static_cast<uint8_t>(delivered);
    if (delivered == Delivered::kYes) {
      told.epoch = 1;
      told.index = 5;
    }
    told.fates = std::move(fates);
  }
  static CallTold::Fate fate(uint32_t life, Fate fate) {
    return {life, static_cast<uint8_t>(fate)};
  }
  [[nodiscard]] size_t found() const {
    const OrderLog order(scenario_, log_);
    return check_calls(order).size();
  }
};

const auto answered = [](uint32_t life) { return CallScript::fate(life, Fate::kAnswered); };

TEST(CheckCalls, all_is_well__expect_no_violation) {
  CallScript script;
  for (const uint32_t life : {1, 2}) {
    script.request(life);
    script.answer(life);
  }
  script.end(End::kAnswered, {answered(1), answered(2)});
  EXPECT_EQ(script.found(), 0u);
}

TEST(CheckCalls, requested_below_the_level_that_was_wanted__expect_a_violation) {
  CallScript script;
  for (const uint32_t life : {1, 2}) {
    script.request(life);
    script.log_.calls_told.back().qos =
        life == 1 ? wire::Qos::kTotallyResilient : wire::Qos::kTotallyOrdered;
    script.answer(life);
  }
  script.end(End::kAnswered, {answered(1), answered(2)});
  EXPECT_EQ(script.found(), 1u) << "a higher level than wanted does no harm";
}

TEST(CheckCalls, requested_twice_or_at_two_places__expect_a_violation) {
  CallScript twice;
  twice.request(1);
  twice.request(1);
  EXPECT_EQ(twice.found(), 1u);
  CallScript places;
  places.request(1);
  places.request(2, true, 6);
  EXPECT_EQ(places.found(), 1u);
  CallScript caller;
  caller.request(1, false, 6);
  caller.end(End::kNobody, {});
  EXPECT_EQ(caller.found(), 1u);
}

TEST(CheckCalls, an_answer_of_nobody_or_with_other_bytes_or_behind_the_end__expect_a_violation) {
  CallScript nobody;
  nobody.request(1);
  CallTold& told = nobody.add(What::kAnswer, 0);
  told.from = 1;
  told.content = answer_to(0, 1, 1);
  EXPECT_EQ(nobody.found(), 1u);
  CallScript bytes;
  bytes.request(1);
  bytes.request(2);
  bytes.answer(1);
  bytes.log_.calls_told.back().content ^= 1;  // and life 2 is waited for
  EXPECT_EQ(bytes.found(), 1u);
  CallScript late;
  late.request(1);
  late.end(End::kTimeout, {CallScript::fate(1, Fate::kSilent)});
  late.answer(1);
  EXPECT_GE(late.found(), 1u);
}

TEST(CheckCalls, ended_twice_or_not_as_those_who_were_asked_did__expect_a_violation) {
  CallScript twice(Want::kAcknowledgement);
  twice.end(End::kAcknowledged, {});
  twice.end(End::kAcknowledged, {});
  EXPECT_EQ(twice.found(), 1u);
  struct Case {
    End end;
    std::vector<CallTold::Fate> fates;
  };
  for (const Case& each : {Case{End::kAnswered, {}}, Case{End::kShort, {answered(1)}},
                           Case{End::kNobody, {answered(1)}}, Case{End::kAcknowledged, {}},
                           Case{End::kHolderDeparted, {answered(1)}}}) {
    CallScript script;
    script.request(1, !each.fates.empty());
    if (!each.fates.empty()) script.answer(1);
    script.end(each.end, each.fates);
    EXPECT_EQ(script.found(), 1u) << text(each.end);
  }
}

TEST(CheckCalls, fates_that_are_not_true__expect_a_violation) {
  CallScript untold;
  untold.request(1);
  untold.end(End::kNobody, {});
  EXPECT_EQ(untold.found(), 1u) << "asked, and its caller is not told";
  CallScript silent;
  silent.request(1);
  silent.answer(1);
  silent.end(End::kTimeout, {CallScript::fate(1, Fate::kSilent)});
  EXPECT_EQ(silent.found(), 1u) << "it has answered";
  CallScript declined;
  declined.request(1);
  declined.add(What::kAnswering, 1);
  declined.end(End::kShort, {CallScript::fate(1, Fate::kDeclined)});
  EXPECT_EQ(declined.found(), 1u) << "it answers";
  CallScript departed(Want::kHolder);
  departed.request(1);
  departed.end(End::kHolderDeparted, {CallScript::fate(1, Fate::kDeparted)});
  EXPECT_EQ(departed.found(), 1u) << "it is in the view";
}

TEST(CheckCalls, never_delivered_and_requested__expect_a_violation) {
  CallScript script;
  script.end(End::kRefused, {}, Delivered::kNo);
  EXPECT_EQ(script.found(), 0u);
  script.request(2, false);
  EXPECT_EQ(script.found(), 1u);
}

TEST(CheckCalls, it_has_not_ended__expect_a_violation_unless_somebody_is_silent) {
  CallScript nobody;
  nobody.request(1, false);
  EXPECT_EQ(nobody.found(), 1u);
  CallScript silent;
  silent.request(1);
  EXPECT_EQ(silent.found(), 0u);
  silent.add(What::kDeclining, 1);
  EXPECT_EQ(silent.found(), 1u);
  CallScript left;
  left.request(1);
  left.log_.group_standings[0].groups[0].in = false;
  EXPECT_EQ(left.found(), 1u);
  CallScript dead;
  dead.crash(0);
  EXPECT_EQ(dead.found(), 0u);
}

TEST(CheckCalls, coverage__expect_calls_counted_by_their_ends) {
  CallScript script;
  script.end(End::kAnswered, {});
  script.end(End::kHolderDeparted, {});
  Coverage coverage;
  coverage.add(script.log_);
  EXPECT_EQ(coverage.calls, 1u);
  EXPECT_EQ(coverage.calls_answered, 1u);
  EXPECT_EQ(coverage.holders_departed, 1u);
  EXPECT_EQ(coverage.calls_unknown, 0u);
}

}  // namespace check_calls_test
}  // namespace lambdacast::sim
