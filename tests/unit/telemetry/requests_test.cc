// SPDX-License-Identifier: BSD-3-Clause
#include "counted_snapshot.h"
#include "support.h"

namespace lambdacast::telemetry {
namespace requests_test {

using test::figure;
using test::number;

TEST(RequestsTest, an_endpoint__expect_a_row_with_its_calls_and_requests) {
  test::CountedSnapshot counted;
  Snapshot snapshot = counted.snapshot();
  node::RequestReport report;
  report.under_way = 2;
  report.calls.calls = 20;
  report.calls.answers = 31;
  report.calls.late = 4;
  for (size_t i = 0; i < report.calls.ended.size(); ++i) report.calls.ended[i] = 50 + i;
  report.tickets = 6;
  report.outside = {80, 81, 82, 83};
  report.requests = {70, 71, 72, 73, 74, 95, 75, 76, 77, 78, 79, 90, 97};
  report.forwards = 7;
  report.forwarded = {91, 92, 93, 94, 96};
  snapshot.endpoints[1].requests = report;
  const Table table = find_subject("requests")->table(snapshot);
  ASSERT_EQ(table.rows.size(), 1u) << "the others were not asked";
  EXPECT_EQ(figure(table, 0, "endpoint"), Value(snapshot.name(1)));
  const std::pair<const char*, uint64_t> wanted[] = {{"under_way", 2},
                                                     {"calls", 20},
                                                     {"answers", 31},
                                                     {"late", 4},
                                                     {"tickets", 6},
                                                     {"acknowledged", 50},
                                                     {"answered", 51},
                                                     {"short", 52},
                                                     {"nobody", 53},
                                                     {"holder_departed", 54},
                                                     {"no_answer_kept", 55},
                                                     {"suspended", 56},
                                                     {"session_expired", 57},
                                                     {"timeouts", 58},
                                                     {"unknown", 59},
                                                     {"opened", 80},
                                                     {"copies", 81},
                                                     {"repeated", 82},
                                                     {"busy", 83},
                                                     {"requests", 70},
                                                     {"refused", 71},
                                                     {"refused_again", 97},
                                                     {"asked", 72},
                                                     {"answers_given", 73},
                                                     {"declined", 74},
                                                     {"kept", 95},
                                                     {"no_ticket", 75},
                                                     {"repetitions", 76},
                                                     {"expired", 77},
                                                     {"silent", 78},
                                                     {"given_up", 79},
                                                     {"nonsense", 90},
                                                     {"forwards", 7},
                                                     {"forwarded", 91},
                                                     {"merged", 92},
                                                     {"forwards_refused", 93},
                                                     {"forwards_of_others", 94},
                                                     {"forwards_nonsense", 96}};
  for (const auto& [name, value] : wanted) EXPECT_EQ(figure(table, 0, name), number(value)) << name;
}

}  // namespace requests_test
}  // namespace lambdacast::telemetry
