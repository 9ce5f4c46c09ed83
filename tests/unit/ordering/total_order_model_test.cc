// SPDX-License-Identifier: BSD-3-Clause
// Several TotalOrders fed the same streams, interleaved at random, with acknowledgements late and
// applications that refuse, through views that end: against a naive model of the order, made of
// the streams alone.
#include <gtest/gtest.h>

#include <set>

#include "order_world.h"

namespace lambdacast::ordering {

void World::send(size_t i, Sent packet) {
  logs_[i].push_back(packet);
  node(i).take(kMost, logs_[i].size(), packet.group, packet.qos, packet.messages, packet.marks);
}

bool World::may_send(size_t i, uint32_t reserve) {
  for (const size_t at : ranks_) {
    const uint64_t ahead = logs_[i].size() - node(at).taken(stream(i, at));
    if (node(at).order().room(stream(i, at)) <= ahead + reserve) return false;
  }
  return true;
}

void World::publish(size_t i) {
  if (!may_send(i, 8)) return;
  const auto qos = static_cast<Qos>(static_cast<uint64_t>(Qos::kTotallyOrdered) + random_.below(4));
  send(i, {static_cast<uint32_t>(1 + random_.below(6)),
           qos,
           static_cast<uint32_t>(random_.below(4)),
           {}});
}

void World::mark(size_t i) {
  if (!marks_due(node(i).order()) || !may_send(i, 0)) return;
  std::vector<uint8_t> bytes(wire::pass_bytes(1 + random_.below(4)));
  const auto written = node(i).order().write_marks(bytes.data(), bytes.size(), 0);
  bytes.resize(written.bytes);
  send(i, {written.group, Qos::kSourceOrdered, 1, bytes});
  node(i).order().advance();
}

bool World::read(size_t at, size_t of) {
  const uint64_t next = node(at).taken(stream(of, at)) + 1;
  if (at == of || next > logs_[of].size()) return false;
  const Sent& packet = logs_[of][next - 1];
  EXPECT_NE(node(at).order().room(of), 0u);
  node(at).take(of, next, packet.group, packet.qos, packet.messages, packet.marks);
  return true;
}

void World::act() {
  const size_t i = any();
  switch (random_.below(8)) {
    case 0:
    case 1:
      return publish(i);
    case 2:
      node(i).order().advance();
      return mark(i);
    case 3: {  // drawn one behind the other: compilers differ in the order of arguments
      const size_t to = any();
      return acknowledge(i, to, random_.below(ranks_.size()));
    }
    case 4:
      node(i).refuse_after(random_.below(3) == 0 ? random_.below(4) : ~uint64_t{0});
      return node(i).order().poll();
    default:
      (void)read(i, any());
      if (random_.below(2) == 0) node(i).order().advance();
  }
}

// --- the model -----------------------------------------------------------------------------------

void World::place(Places& out, size_t of, uint64_t rel_seq, size_t marker, uint64_t mark) {
  const Sent& packet = logs_[of][rel_seq - 1];
  std::vector<Place>& in = out[node(ranks_[0]).order().domain_of(packet.group)];
  uint64_t index = 0;
  for (const Place& before : in) index += logs_[before.sender][before.rel_seq - 1].messages;
  in.push_back({of, rel_seq, index, marker, mark, packet.qos});
}

// What a mark at that position names, of the ring's domains or of those of its maker.
void World::place_through(Places& out, const wire::Mark& what, size_t marker, uint64_t mark,
                          bool ring, const std::vector<uint64_t>* cuts,
                          std::set<std::pair<size_t, uint64_t>>& placed) {
  const TotalOrder& any = node(ranks_[0]).order();
  const size_t of = ranks_[what.rank];
  // What nobody who goes on has is void.
  const uint64_t end = cuts != nullptr ? std::min((*cuts)[of], what.through) : what.through;
  for (uint64_t p = begins_[of] + 1; p <= end; ++p) {
    const Sent& packet = logs_[of][p - 1];
    if (!packet.ordered()) continue;
    const uint32_t domain = any.domain_of(packet.group);
    const bool its =
        ring ? ring_.has(domain) : !ring_.has(domain) && ranks_[marker_of(domain)] == marker;
    if (its && placed.emplace(of, p).second) place(out, of, p, marker, mark);
  }
}

// Passes by their numbers, up to the first that is beyond the cuts.
void World::place_passes(Places& out, const std::vector<uint64_t>* cuts,
                         std::set<std::pair<size_t, uint64_t>>& placed) {
  std::map<uint64_t, std::pair<size_t, uint64_t>> passes;  // maker and position
  for (const size_t of : ranks_) {
    const uint64_t end = cuts != nullptr ? (*cuts)[of] : logs_[of].size();
    for (uint64_t at = begins_[of] + 1; at <= end; ++at) {
      if (logs_[of][at - 1].group == wire::kPassGroup)
        passes[wire::load_pass(logs_[of][at - 1].marks).number] = {of, at};
    }
  }
  for (uint64_t number = 1; passes.contains(number); ++number) {
    const auto [maker, at] = passes[number];
    const std::vector<uint8_t>& pass = logs_[maker][at - 1].marks;
    for (size_t item = 0; item < wire::count_pass_items(pass); ++item)
      place_through(out, wire::load_pass_item(pass, item), maker, at, true, cuts, placed);
  }
}

// Of the view that begins behind begins_, and ends at the cuts if there are any.
Places World::order(const std::vector<uint64_t>* cuts) {
  Places out;
  std::set<std::pair<size_t, uint64_t>> placed;
  const auto end = [&](size_t of) { return cuts != nullptr ? (*cuts)[of] : logs_[of].size(); };
  for (const size_t marker : ranks_) {
    for (uint64_t at = begins_[marker] + 1; at <= end(marker); ++at) {
      if (logs_[marker][at - 1].group != wire::kMarksGroup) continue;
      const std::vector<uint8_t>& marks = logs_[marker][at - 1].marks;
      for (size_t item = 0; item < wire::count_marks(marks); ++item)
        place_through(out, wire::load_mark(marks, item), marker, at, false, cuts, placed);
    }
  }
  place_passes(out, cuts, placed);
  for (const size_t of : ranks_) {
    for (uint64_t p = begins_[of] + 1; cuts != nullptr && p <= end(of); ++p) {
      if (logs_[of][p - 1].ordered() && placed.emplace(of, p).second) place(out, of, p, of, 0);
    }
  }
  return out;
}

// Without the end of a view as many as the level asks for hold message and mark.
void World::check_level(size_t at, const Ordered& what) {
  ++delivered_;
  const Qos qos = what.qos;
  if (what.epoch != epoch_ || ended_) return;
  const size_t of = sender(what.stream, at);
  Places marked = order(nullptr);
  for (const Place& each : marked[what.domain]) {
    if (each.sender != of || each.rel_seq != what.rel_seq) continue;
    const size_t marker = each.marker;
    size_t holders = 0;
    for (const size_t i : ranks_) {
      const bool holds = node(i).taken(stream(of, i)) >= each.rel_seq &&
                         node(i).taken(stream(marker, i)) >= each.mark;
      holders += holds ? 1 : 0;
    }
    const size_t all = ranks_.size();
    EXPECT_GE(holders, qos == Qos::kTotallyResilient ? all
                       : qos == Qos::kMajority       ? all / 2 + 1
                       : qos == Qos::kKResilient     ? std::min<size_t>(all, config_.k + 1)
                                                     : 1);
    return;
  }
  ADD_FAILURE() << "nobody has marked what node " << at << " delivers";
}

// What each has delivered in this view is the order's beginning; with cuts all of it.
void World::expect_one_order(const std::vector<size_t>& at, const std::vector<uint64_t>* cuts) {
  const Places expected = order(cuts);
  for (const size_t i : at) {
    std::map<uint32_t, std::vector<Line>> lines;
    for (const Line& line : node(i).lines()) {
      if (line.epoch == epoch_) lines[line.domain].push_back(line);
    }
    for (const auto& [domain, places] : expected) {
      const std::vector<Line>& got = lines[domain];
      if (cuts != nullptr) {
        EXPECT_EQ(got.size(), places.size()) << "node " << i;
      }
      ASSERT_LE(got.size(), places.size()) << "node " << i;
      for (size_t n = 0; n < got.size(); ++n) {
        EXPECT_EQ(sender(got[n].stream, i), places[n].sender) << "node " << i << " line " << n;
        EXPECT_EQ(got[n].rel_seq, places[n].rel_seq) << "node " << i << " line " << n;
        EXPECT_EQ(got[n].index, places[n].index) << "node " << i << " line " << n;
      }
      lines.erase(domain);
    }
    for (const auto& [domain, more] : lines) EXPECT_TRUE(more.empty()) << "domain " << domain;
  }
}

// --- ends ----------------------------------------------------------------------------------------

void World::end_view(std::set<size_t> departed) {
  std::vector<uint64_t> cuts(logs_.size());
  for (const size_t of : ranks_) {
    for (const size_t i : ranks_) {
      if (departed.contains(i)) continue;
      node(i).order().freeze();
      cuts[of] = std::max(cuts[of], node(i).taken(stream(of, i)));
    }
  }
  std::vector<size_t> survivors;
  for (const size_t i : ranks_) {
    if (!departed.contains(i)) survivors.push_back(i);
  }
  // What is sent from now on is of the view to come, and may be here before it.
  for (int more = 0; more < 6; ++more) publish(survivors[random_.below(survivors.size())]);
  for (const size_t at : survivors) {
    for (const size_t of : ranks_) {
      const uint64_t beyond = departed.contains(of) ? 0 : random_.below(3);
      while (node(at).taken(stream(of, at)) < cuts[of] + beyond && read(at, of)) {
      }
    }
  }
  const std::vector<size_t> before = ranks_;
  const uint64_t ended = epoch_++;
  ended_ = true;
  for (const size_t at : survivors) {
    std::vector<TotalOrder::Cut> of_members;
    for (const size_t of : before)
      of_members.push_back({stream(of, at), cuts[of], !departed.contains(of)});
    ranks_ = survivors;
    const std::vector<size_t> next = streams(at);
    node(at).refuse_after(random_.below(3) == 0 ? random_.below(4) : ~uint64_t{0});
    node(at).order().install(epoch_, of_members, next, rank_of(at), survivors.size());
    node(at).refuse_after(~uint64_t{0});
    node(at).order().poll();
    EXPECT_EQ(node(at).views().back(), epoch_);
  }
  // The model is of the view that has ended, as those saw it who have come through.
  epoch_ = ended;
  ranks_ = before;
  expect_one_order(survivors, &cuts);
  ranks_ = survivors;
  ++epoch_;
  begins_ = cuts;
  ended_ = false;
}

void World::settle() {
  for (int round = 0; round < 400; ++round) {
    for (const size_t at : ranks_) {
      node(at).refuse_after(~uint64_t{0});
      node(at).order().poll();
      for (const size_t of : ranks_) {
        while (read(at, of)) {
        }
      }
      node(at).order().advance();
      mark(at);
      for (const size_t to : ranks_) {
        for (size_t marker = 0; marker < ranks_.size(); ++marker) acknowledge(at, to, marker);
      }
    }
  }
}

size_t World::go_on_without_the_ring(int messages) {
  uint32_t group = 1;
  while (ring_.has(node(ranks_[0]).order().domain_of(group))) ++group;
  size_t refused = 0;
  for (; messages != 0; --messages) {
    for (const size_t i : ranks_) {
      const bool fits = may_send(i, 8);
      refused += fits ? 0 : 1;
      if (fits) send(i, {group, Qos::kTotallyOrdered, 1, {}});
    }
    settle();
  }
  return refused;
}

namespace total_order_model_test {

class TotalOrderModel : public ::testing::TestWithParam<ordering::Order> {};

TEST_P(TotalOrderModel, one_view__expect_one_order_each_level_reached_and_nothing_left) {
  size_t delivered = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(1 + seed % kMost, seed, GetParam());
    for (int part = 0; part < 4; ++part) {
      world.run(200);
      world.expect_one_order();
    }
    world.settle();
    world.expect_one_order();
    world.expect_nothing_held();
    delivered += world.delivered();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(delivered, 4'000u);
}

TEST_P(TotalOrderModel, views_end__expect_one_order_of_each_and_nothing_left) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::SplitMix64 random(seed * 1'000);
    const size_t nodes = 3 + seed % 3;
    World world(nodes, seed, GetParam());
    std::vector<size_t> alive;
    for (size_t i = 0; i < nodes; ++i) alive.push_back(i);
    for (int views = 0; views < 3; ++views) {
      world.run(static_cast<int>(random.below(300)));
      std::set<size_t> departed;
      for (uint64_t more = random.below(3); alive.size() > 1 && more != 0; --more) {
        const size_t at = random.below(alive.size());
        departed.insert(alive[at]);
        alive.erase(alive.begin() + static_cast<long>(at));
      }
      world.end_view(departed);
      if (::testing::Test::HasFailure()) return;
    }
    world.run(200);
    world.settle();
    world.expect_one_order();
    world.expect_nothing_held();
    if (::testing::Test::HasFailure()) return;
  }
}

// The passes by which the token came to rest stay unacknowledged until it goes on. What stands
// behind them in the streams of their makers must not wait for that.
TEST(TotalOrderOfTwoEngines, the_ring_rests_and_sequencers_go_on__expect_room_for_ever) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(4, seed, ordering::Order::kMixed);
    world.run(300);
    world.settle();
    EXPECT_EQ(world.go_on_without_the_ring(40), 0u);
    world.expect_one_order();
  }
}

INSTANTIATE_TEST_SUITE_P(Each, TotalOrderModel,
                         ::testing::Values(ordering::Order::kSequencer, ordering::Order::kRing,
                                           ordering::Order::kMixed));

}  // namespace total_order_model_test
}  // namespace lambdacast::ordering
