#include "sim/checkers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/truth.h"

namespace lambdacast::sim {

namespace {

using counters::DropReason;

void expect_equal(Violations& violations, const std::string& what, uint64_t found,
                  uint64_t wanted) {
  if (found == wanted) return;
  violations.push_back(what + " is " + std::to_string(found) + ", should be " +
                       std::to_string(wanted));
}

std::string pair_name(size_t sender, size_t receiver) {
  return "node " + std::to_string(receiver) + " on node " + std::to_string(sender) + ": ";
}

void check_delivery(const Scenario& scenario, const Sent& sent, const Arrival& arrival,
                    Violations& violations) {
  const std::string what = "node " + std::to_string(arrival.receiver) + ", message " +
                           std::to_string(sent.number) + " of node " + std::to_string(sent.sender) +
                           ": ";
  const auto& groups = scenario.nodes[arrival.receiver].subscribe;
  if (arrival.content != sent.content) violations.push_back(what + "delivered content differs");
  if (arrival.claimed_sender != sent.sender) violations.push_back(what + "wrong sender named");
  if (arrival.claimed_group != sent.group) violations.push_back(what + "wrong group named");
  if (arrival.receiver == sent.sender) violations.push_back(what + "delivered to its sender");
  if (std::ranges::count(groups, sent.group) == 0) {
    violations.push_back(what + "delivered without a subscription");
  }
}

void check_stream(const PairTruth& truth, const NodeScenario& sender,
                  const std::optional<reliability::StreamReport>& stream, const std::string& pair,
                  Violations& violations) {
  expect_equal(violations, pair + "stream known", stream.has_value(), truth.known);
  if (!stream || !truth.known) return;
  const auto expect = [&](const char* what, uint64_t found, uint64_t wanted) {
    expect_equal(violations, pair + what, found, wanted);
  };
  const reliability::SequenceCounters& counted = stream->current;
  expect("received", counted.received, truth.accepted());
  expect("missing", counted.missing, truth.lost());
  expect("missing beyond the transmitter's losses", counted.missing - truth.lost_at_transmitter,
         truth.lost_at_receiver + truth.lost_corrupted + truth.lost_too_old);
  expect("gaps", counted.gaps, truth.gaps);
  expect("late", counted.late, truth.late);
  expect("duplicates", counted.duplicates, truth.duplicates);
  expect("too_old", counted.too_old, truth.too_old);
  expect("too_far_ahead", counted.too_far_ahead, 0);
  expect("first_frame_seq", stream->first_frame_seq, sender.first_frame_seq);
  expect("highest_frame_seq", stream->highest_frame_seq, sender.first_frame_seq + truth.sent - 1);
  expect("incarnation", stream->incarnation, sender.incarnation);
  expect("psn_wraps", stream->psn_wraps, truth.psn_wraps);
  expect("psn_mismatches", stream->psn_mismatches, 0);
  expect("psn_undecidable", stream->psn_undecidable, 0);
}

void check_stage(const endpoint::StageCounters& stage, uint64_t received, const std::string& name,
                 Violations& violations) {
  expect_equal(violations, name + " received", stage.received, received);
  expect_equal(violations, name + " forwarded + dropped", stage.forwarded + stage.drops.total(),
               stage.received);
}

}  // namespace

Violations check_integrity(const Scenario& scenario, const Report& report) {
  Violations violations;
  std::set<std::pair<size_t, size_t>> delivered;  // frame, receiver
  for (const Arrival& arrival : report.log.arrivals) {
    if (arrival.outcome != DropReason::kNone) continue;
    const Sent& sent = report.log.sent[arrival.frame];
    check_delivery(scenario, sent, arrival, violations);
    if (!delivered.emplace(arrival.frame, arrival.receiver).second) {
      violations.push_back("node " + std::to_string(arrival.receiver) + ", message " +
                           std::to_string(sent.number) + " of node " + std::to_string(sent.sender) +
                           ": delivered twice");
    }
  }
  return violations;
}

Violations check_accounting(const Scenario& scenario, const Report& report) {
  const Truth truth = derive_truth(scenario, report);
  Violations violations = truth.wrong_outcomes;
  const size_t nodes = scenario.nodes.size();
  std::vector<std::vector<uint64_t>> delivered(nodes, std::vector<uint64_t>(nodes));
  for (const Arrival& arrival : report.log.arrivals) {
    const Sent& sent = report.log.sent[arrival.frame];
    if (arrival.outcome == DropReason::kNone) ++delivered[sent.sender][arrival.receiver];
    if (sent.lost_at_transmitter)
      violations.emplace_back("a frame lost at its transmitter arrived");
  }
  for (size_t sender = 0; sender < nodes; ++sender) {
    const NodeReport& of_sender = report.nodes[sender];
    for (size_t receiver = 0; receiver < nodes; ++receiver) {
      if (receiver == sender) continue;
      const PairTruth& pair = truth.pairs[sender][receiver];
      const std::string name = pair_name(sender, receiver);
      expect_equal(violations, name + "sent", of_sender.sent_packets, pair.sent);
      expect_equal(violations, name + "delivered + not subscribed + lost",
                   delivered[sender][receiver] + pair.not_subscribed + pair.lost(),
                   of_sender.sent_packets);
      check_stream(pair, scenario.nodes[sender], report.nodes[receiver].streams[sender], name,
                   violations);
    }
  }
  return violations;
}

Violations check_stages(const Report& report) {
  Violations violations;
  for (size_t node = 0; node < report.nodes.size(); ++node) {
    const endpoint::EndpointCounters& counters = report.nodes[node].counters;
    const std::string name = "node " + std::to_string(node) + ": ";
    counters::DropCounters logged;  // kNone: delivered
    uint64_t arrived = 0;
    for (const Arrival& arrival : report.log.arrivals) {
      if (arrival.receiver != node) continue;
      ++arrived;
      logged.add(arrival.outcome);
    }
    check_stage(counters.receive, arrived, name + "receive", violations);
    check_stage(counters.reliability, counters.receive.forwarded, name + "reliability", violations);
    check_stage(counters.ordering, counters.reliability.forwarded, name + "ordering", violations);
    expect_equal(violations, name + "ordering forwarded", counters.ordering.forwarded,
                 logged[DropReason::kNone]);
    for (size_t i = 1; i < counters::kDropReasons; ++i) {
      const auto reason = static_cast<DropReason>(i);
      expect_equal(violations, name + counters::name(reason),
                   counters.receive.drops[reason] + counters.reliability.drops[reason] +
                       counters.ordering.drops[reason],
                   logged[reason]);
    }
    uint64_t published = 0;
    for (const Sent& sent : report.log.sent) published += sent.sender == node ? 1 : 0;
    expect_equal(violations, name + "transmitted_packets", counters.transmitted_packets, published);
  }
  return violations;
}

Violations check_all(const Scenario& scenario, const Report& report) {
  Violations all = check_integrity(scenario, report);
  for (std::string& violation : check_accounting(scenario, report)) {
    all.push_back(std::move(violation));
  }
  for (std::string& violation : check_stages(report)) all.push_back(std::move(violation));
  return all;
}

}  // namespace lambdacast::sim
