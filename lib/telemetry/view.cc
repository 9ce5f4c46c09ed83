// SPDX-License-Identifier: BSD-3-Clause
// `view`: where each endpoint with membership stands: its state, the view it is in, and what
// membership and total order have done.
#include <algorithm>

#include "ordering/total_order.h"
#include "telemetry/subject.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

using View = node::ViewReport;

struct Row {
  const config::Endpoint* config;
  const View* view;
};

Value state(const Row& row) {
  const char* word = "";
  switch (row.view->state) {
    case wire::MemberState::kJoining:
      word = "joining";
      break;
    case wire::MemberState::kOperational:
      word = "operational";
      break;
    case wire::MemberState::kRecovering:
      word = row.view->stranded ? "stranded" : "recovering";
      break;
    case wire::MemberState::kExcluded:
      word = row.view->left ? "left" : "excluded";
      break;
  }
  return Value(std::string(word));
}

bool in_view(const Row& row) {
  return row.view->size != 0 && row.view->state != wire::MemberState::kExcluded;
}

Value own_rank(const Row& row) {
  return Value(in_view(row) ? std::to_string(row.view->own_rank) : std::string("-"));
}

// "1 at 10.77.0.2, 7 at 10.77.0.1", of the first groups.
Value sequencers(const Row& row) {
  constexpr size_t kMost = 4;
  const auto& groups = row.config->groups;
  if (!in_view(row) || groups.empty()) return Value(std::string("-"));
  std::string text;
  for (size_t i = 0; i < std::min(groups.size(), kMost); ++i) {
    const uint32_t domain = ordering::domain_of(groups[i], row.config->membership.order.domains);
    const ordering::TotalOrderConfig& order = row.config->membership.order;
    const bool ring = ordering::ring_domains(order.order, order.domains).has(domain);
    const size_t rank = ordering::sequencer_of(domain, row.view->size);
    text += (i == 0 ? "" : ", ") + std::to_string(groups[i]) + " at " +
            (ring ? "the token site" : wire::format(row.view->members[rank].name.gid));
  }
  return Value(groups.size() > kMost ? text + ", ..." : text);
}

// "10.77.0.2", or "rests at 10.77.0.2": who makes the next pass.
Value token(const Row& row) {
  const ordering::TotalOrder::Ring& ring = row.view->ring;
  if (!in_view(row) || !ring.is || ring.site >= row.view->size) return Value(std::string("-"));
  return Value((ring.rests ? "rests at " : "") +
               wire::format(row.view->members[ring.site].name.gid));
}

// "quorum: 1 of 2": what is in the way, how many are here of how many it takes.
Value impasse(const Row& row) {
  const membership::Standing& standing = row.view->standing;
  const std::string counts =
      ": " + std::to_string(standing.here) + " of " + std::to_string(standing.needed);
  switch (standing.what) {
    case membership::Standing::What::kClear:
      break;
    case membership::Standing::What::kFirstView:
      return Value("first view" + counts);
    case membership::Standing::What::kOthers:
      return Value("view of others" + counts);
    case membership::Standing::What::kNoQuorum:
      return Value("quorum" + counts);
    case membership::Standing::What::kOrder:
      return Value("order of " + wire::format(standing.other.gid));
    case membership::Standing::What::kOver:
      return Value(std::string("over for good"));
  }
  return Value(std::string("-"));
}

// "10.77.0.2, 10.77.0.3 (ended)"
Value missing_members(const Row& row) {
  const membership::Standing& standing = row.view->standing;
  std::string text;
  standing.missing.for_each([&](size_t rank) {
    if (rank >= row.view->size) return;
    text += (text.empty() ? "" : ", ") + wire::format(row.view->members[rank].name.gid) +
            (standing.over.contains(rank) ? " (ended)" : "");
  });
  return Value(text.empty() ? std::string("-") : text);
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(row.config->name); }},
    {{"state", Kind::kText, Unit::kNone,
      "joining, operational, recovering, stranded (in no primary partition), excluded or left."},
     state},
    {{"view", Kind::kText, Unit::kNone, "The view it is or was in: epoch and round."},
     [](const Row& row) {
       return Value(std::to_string(row.view->id.epoch) + "." + std::to_string(row.view->id.round));
     }},
    {{"epoch", Kind::kGauge, Unit::kNone, "The view's number; 0: it has been in none."},
     [](const Row& row) { return Value(row.view->id.epoch); }},
    {{"members", Kind::kGauge, Unit::kNone, "Members of this view."},
     [](const Row& row) { return Value(uint64_t{in_view(row) ? row.view->size : 0}); }},
    {{"rank", Kind::kText, Unit::kNone, "Its own rank."}, own_rank},
    {{"sequencers", Kind::kText, Unit::kNone, "Who orders its groups, the first of them."},
     sequencers},
    {{"order", Kind::kText, Unit::kNone, "Who orders: sequencer, ring or mixed."},
     [](const Row& row) {
       return Value(std::string(config::name(row.config->membership.order.order)));
     }},
    {{"token", Kind::kText, Unit::kNone,
      "The token site of the ring, and whether the token rests there."},
     token},
    {{"pass", Kind::kGauge, Unit::kNone, "The last pass of the token in this view, applied here."},
     [](const Row& row) { return Value(row.view->ring.pass); }},
    {{"max_n", Kind::kGauge, Unit::kNone,
      "Members of which the ring's majority is one: of the largest view with something unstable."},
     [](const Row& row) { return Value(uint64_t{row.view->ring.max_n}); }},
    {{"views", Kind::kCounter, Unit::kNone, "Views begun."},
     [](const Row& row) { return Value(row.view->membership.views); }},
    {{"rounds", Kind::kCounter, Unit::kNone, "Rounds of ballot that it has led."},
     [](const Row& row) { return Value(row.view->membership.rounds); }},
    {{"suspicions", Kind::kCounter, Unit::kNone, "Times it has suspected a member."},
     [](const Row& row) { return Value(row.view->membership.suspicions); }},
    {{"held_out", Kind::kGauge, Unit::kNone,
      "Joiners without a place: a view has 80 members at most, 64 with a node of an old release."},
     [](const Row& row) { return Value(row.view->membership.held_out); }},
    {{"impasse", Kind::kText, Unit::kNone,
      "What has been in the way of a view for suspect_after_us; how many are here of how many."},
     impasse},
    {{"missing", Kind::kGauge, Unit::kNone,
      "Members that it takes for a view, or nodes for a first one, and that are not here."},
     [](const Row& row) {
       const membership::Standing& standing = row.view->standing;
       return Value(uint64_t{standing.needed - std::min(standing.needed, standing.here)});
     }},
    {{"missing_members", Kind::kText, Unit::kNone,
      "Members that are not heard, and which of those lives are known to have ended."},
     missing_members},
    {{"starved", Kind::kCounter, Unit::kNone, "Times it was not run for longer than a heartbeat."},
     [](const Row& row) { return Value(row.view->membership.starved); }},
    {{"member_frames", Kind::kCounter, Unit::kFrames, "Signs of life and acknowledgements sent."},
     [](const Row& row) { return Value(row.view->membership.members); }},
    {{"ballot_frames", Kind::kCounter, Unit::kFrames, "Frames of ballots that it led, sent."},
     [](const Row& row) { return Value(row.view->membership.ballots); }},
    {{"votes", Kind::kCounter, Unit::kFrames, "Votes sent."},
     [](const Row& row) { return Value(row.view->membership.votes); }},
    {{"marks_sent", Kind::kCounter, Unit::kPackets, "Packets of marks sent as a sequencer."},
     [](const Row& row) { return Value(row.view->order.marks_sent); }},
    {{"marks_applied", Kind::kCounter, Unit::kPackets, "Packets of marks applied, its own too."},
     [](const Row& row) { return Value(row.view->order.marks_applied); }},
    {{"passes_sent", Kind::kCounter, Unit::kPackets, "Passes of the token that it has made."},
     [](const Row& row) { return Value(row.view->ring.counters.written); }},
    {{"passes_empty", Kind::kCounter, Unit::kPackets, "Of these that name nothing."},
     [](const Row& row) { return Value(row.view->ring.counters.empty); }},
    {{"passes_applied", Kind::kCounter, Unit::kPackets, "Passes applied, its own too."},
     [](const Row& row) { return Value(row.view->ring.counters.applied); }},
    {{"passes_refused", Kind::kCounter, Unit::kPackets,
      "Passes of who was not the token site, or out of their order."},
     [](const Row& row) { return Value(row.view->ring.counters.refused); }},
    {{"holes", Kind::kCounter, Unit::kNone,
      "Views that ended with passes behind one that nobody had."},
     [](const Row& row) { return Value(row.view->ring.counters.holes); }},
    {{"ordered_delivered", Kind::kCounter, Unit::kPackets,
      "Packets delivered in total order, its own too."},
     [](const Row& row) { return Value(row.view->order.delivered); }},
    {{"recovered", Kind::kCounter, Unit::kPackets, "Of these at the end of a view."},
     [](const Row& row) { return Value(row.view->order.recovered); }},
    {{"not_in_view", Kind::kCounter, Unit::kPackets,
      "Packets given back undelivered: they had no place in a view."},
     [](const Row& row) { return Value(row.view->account.voided); }},
    {{"held", Kind::kGauge, Unit::kPackets,
      "Packets, marks too, that not all members are known to have."},
     [](const Row& row) { return Value(row.view->held); }},
    {{"relayed", Kind::kCounter, Unit::kFrames, "Frames of departed members sent to others."},
     [](const Row& row) { return Value(row.view->account.relayed); }},
};

}  // namespace

Table view_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    if (each.stages.view) rows.push_back({&each.endpoint->config(), &*each.stages.view});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
