// SPDX-License-Identifier: BSD-3-Clause
// `requests`: the calls of each endpoint to groups, and the requests that it is asked by.
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

using What = Outcome::What;

struct Row {
  const std::string* endpoint;
  const node::RequestReport* report;
};

template <What what>
Value ended(const Row& row) {
  return Value(row.report->calls.ended[static_cast<size_t>(what)]);
}

template <uint64_t group::CallCounters::*member>
Value of_calls(const Row& row) {
  return Value(row.report->calls.*member);
}

template <uint64_t group::RequestCounters::*member>
Value of_requests(const Row& row) {
  return Value(row.report->requests.*member);
}

template <uint64_t group::OutsideCounters::*member>
Value of_outside(const Row& row) {
  return Value(row.report->outside.*member);
}

template <uint64_t group::ForwardCounters::*member>
Value of_forwards(const Row& row) {
  return Value(row.report->forwarded.*member);
}

using C = group::CallCounters;
using O = group::OutsideCounters;
using F = group::ForwardCounters;
using R = group::RequestCounters;

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"under_way", Kind::kGauge, Unit::kNone, "Its calls that have not ended."},
     [](const Row& row) { return Value(uint64_t{row.report->under_way}); }},
    {{"calls", Kind::kCounter, Unit::kNone, "Calls that it has made."}, of_calls<&C::calls>},
    {{"answers", Kind::kCounter, Unit::kNone, "Answers to its calls while they were under way."},
     of_calls<&C::answers>},
    {{"late", Kind::kCounter, Unit::kNone, "Answers that nobody waited for any more."},
     of_calls<&C::late>},
    {{"acknowledged", Kind::kCounter, Unit::kNone, "Calls that ended as their request came."},
     ended<What::kAcknowledged>},
    {{"answered", Kind::kCounter, Unit::kNone, "Calls that got as many answers as they wanted."},
     ended<What::kAnswered>},
    {{"short", Kind::kCounter, Unit::kNone,
      "Calls that got fewer, as the other members declined or departed."},
     ended<What::kShort>},
    {{"nobody", Kind::kCounter, Unit::kNone, "Calls to a lock that nobody held."},
     ended<What::kNobody>},
    {{"holder_departed", Kind::kCounter, Unit::kNone,
      "Calls whose holder was asked and has departed."},
     ended<What::kHolderDeparted>},
    {{"no_answer_kept", Kind::kCounter, Unit::kNone,
      "Calls whose request was answered before, and the answer is gone."},
     ended<What::kNoAnswerKept>},
    {{"suspended", Kind::kCounter, Unit::kNone,
      "Calls that a suspended group refused, or all entries."},
     ended<What::kRefused>},
    {{"session_expired", Kind::kCounter, Unit::kNone,
      "Calls whose group has forgotten the session of this endpoint."},
     ended<What::kExpired>},
    {{"timeouts", Kind::kCounter, Unit::kNone, "Calls that were given up."}, ended<What::kTimeout>},
    {{"unknown", Kind::kCounter, Unit::kNone, "Calls under way as it was out of the view."},
     ended<What::kUnknown>},
    {{"opened", Kind::kCounter, Unit::kNone,
      "Sessions with groups, of calls from outside the view."},
     of_outside<&O::opened>},
    {{"copies", Kind::kCounter, Unit::kMessages,
      "Opens and requests sent to entries, from outside the view."},
     of_outside<&O::sent>},
    {{"repeated", Kind::kCounter, Unit::kMessages, "Of these sent again."},
     of_outside<&O::repeated>},
    {{"busy", Kind::kCounter, Unit::kMessages, "Of these that an entry has refused."},
     of_outside<&O::busy>},
    {{"tickets", Kind::kGauge, Unit::kNone, "Requests that wait for its answer."},
     [](const Row& row) { return Value(uint64_t{row.report->tickets}); }},
    {{"requests", Kind::kCounter, Unit::kNone, "Requests to its groups."},
     of_requests<&R::requests>},
    {{"refused", Kind::kCounter, Unit::kNone, "Of these to a suspended group."},
     of_requests<&R::refused>},
    {{"refused_again", Kind::kCounter, Unit::kNone,
      "Of these repetitions of requests that were refused before."},
     of_requests<&R::refused_again>},
    {{"repetitions", Kind::kCounter, Unit::kNone,
      "Of these repetitions from outside the view, which are not executed."},
     of_requests<&R::repetitions>},
    {{"expired", Kind::kCounter, Unit::kNone, "Of these of sessions that are no more."},
     of_requests<&R::expired>},
    {{"asked", Kind::kCounter, Unit::kNone, "Requests that it was asked by."},
     of_requests<&R::asked>},
    {{"answers_given", Kind::kCounter, Unit::kNone, "Of these answered."},
     of_requests<&R::answered>},
    {{"declined", Kind::kCounter, Unit::kNone, "Of these declined."}, of_requests<&R::declined>},
    {{"kept", Kind::kCounter, Unit::kNone,
      "Answers kept in case that the member which is asked departs."},
     of_requests<&R::kept>},
    {{"no_ticket", Kind::kCounter, Unit::kNone, "Requests without a ticket: all were in use."},
     of_requests<&R::no_ticket>},
    {{"silent", Kind::kCounter, Unit::kNone, "Of these neither answered nor declined."},
     of_requests<&R::silent>},
    {{"given_up", Kind::kCounter, Unit::kNone, "Requests whose callers have given up."},
     of_requests<&R::given_up>},
    {{"nonsense", Kind::kCounter, Unit::kMessages,
      "Messages of the request layer that make no sense."},
     of_requests<&R::nonsense>},
    {{"forwards", Kind::kGauge, Unit::kNone,
      "Requests from outside the view on their way into the order, by this endpoint."},
     [](const Row& row) { return Value(uint64_t{row.report->forwards}); }},
    {{"forwarded", Kind::kCounter, Unit::kNone,
      "Requests from outside the view that it has ordered."},
     of_forwards<&F::forwarded>},
    {{"merged", Kind::kCounter, Unit::kNone, "Copies of what was on its way already."},
     of_forwards<&F::merged>},
    {{"forwards_refused", Kind::kCounter, Unit::kNone,
      "Copies refused for want of room, of a view or of such a group."},
     of_forwards<&F::refused>},
    {{"forwards_of_others", Kind::kCounter, Unit::kMessages,
      "Forwards left to another entry with the same personal group."},
     of_forwards<&F::others>},
    {{"forwards_nonsense", Kind::kCounter, Unit::kMessages, "Forwards that make no sense."},
     of_forwards<&F::nonsense>},
};

}  // namespace

Table requests_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    if (each.requests) rows.push_back({&each.endpoint->config().name, &*each.requests});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
