// SPDX-License-Identifier: BSD-3-Clause
// Several TotalOrders fed the same streams, interleaved at random, with acknowledgements late and
// applications that refuse, through views that end: against a naive model of the order, made of
// the streams alone.
#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "order_node.h"

namespace lambdacast::ordering {
namespace total_order_model_test {

using wire::Qos;

constexpr size_t kMost = 5;  // nodes; their own stream's number, too
constexpr TotalOrderConfig kConfig{kMost, 24, 8, 1};

struct Sent {
  uint32_t group = 0;
  Qos qos = Qos::kTotallyOrdered;
  uint32_t messages = 1;
  std::vector<uint8_t> marks;
  [[nodiscard]] bool ordered() const { return group != wire::kMarksGroup; }
};

// What the order of a view has to be: by domain, who sent it, where, and the mark that placed it.
struct Place {
  size_t sender = 0;
  uint64_t rel_seq = 0;
  uint64_t index = 0;
  uint64_t mark = 0;  // 0: the view ended before one
  Qos qos = Qos::kTotallyOrdered;
};
using Order = std::map<uint32_t, std::vector<Place>>;

class World {
 public:
  World(size_t nodes, uint64_t seed) : random_(seed), logs_(nodes), begins_(nodes) {
    std::vector<size_t> members(nodes);
    for (size_t i = 0; i < nodes; ++i) members[i] = i;
    for (size_t i = nodes; i > 1; --i) std::swap(members[i - 1], members[random_.below(i)]);
    ranks_ = members;
    for (size_t i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<OrderNode>(kConfig));
      nodes_[i]->on_deliver = [this, i](const Ordered& what) { check_level(i, what); };
    }
    for (const size_t i : members) nodes_[i]->begin(streams(i), rank_of(i), epoch_);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) act();
  }
  void end_view(std::set<size_t> departed);
  // Everything comes, is marked, acknowledged and taken.
  void settle();
  void expect_one_order(const std::vector<size_t>& at, const std::vector<uint64_t>* cuts);
  void expect_one_order() { expect_one_order(ranks_, nullptr); }
  void expect_nothing_held() {
    for (const size_t i : ranks_) EXPECT_EQ(nodes_[i]->order().held(), 0u) << "node " << i;
  }
  [[nodiscard]] size_t delivered() const { return delivered_; }

 private:
  OrderNode& node(size_t i) { return *nodes_[i]; }
  [[nodiscard]] size_t stream(size_t of, size_t at) const { return of == at ? kMost : of; }
  [[nodiscard]] size_t sender(size_t of, size_t at) const { return of == kMost ? at : of; }
  [[nodiscard]] size_t rank_of(size_t i) const {
    return static_cast<size_t>(std::find(ranks_.begin(), ranks_.end(), i) - ranks_.begin());
  }
  [[nodiscard]] std::vector<size_t> streams(size_t at) const {
    std::vector<size_t> out;
    for (const size_t i : ranks_) out.push_back(stream(i, at));
    return out;
  }
  // By the definition in total_order.h, for a view of ranks_.
  [[nodiscard]] size_t marker_of(uint32_t domain) const {
    return base::mix64(domain + 0x9e37u) % ranks_.size();
  }
  size_t any() { return ranks_[random_.below(ranks_.size())]; }

  void act();
  void send(size_t i, Sent packet);
  void publish(size_t i);
  void mark(size_t i);
  bool read(size_t at, size_t of);
  // No receiver was told to hold more of it.
  bool may_send(size_t i, uint32_t reserve);
  void acknowledge(size_t by, size_t to, size_t marker) {
    node(to).order().acknowledged(rank_of(by), marker, node(by).order().applied(marker));
  }
  void check_level(size_t at, const Ordered& what);
  Order order(const std::vector<uint64_t>* cuts);
  void place(Order& out, size_t of, uint64_t rel_seq, uint64_t mark);

  base::SplitMix64 random_;
  std::vector<std::vector<Sent>> logs_;  // position p is entry p - 1
  std::vector<uint64_t> begins_;         // of each log: this view's is behind that
  std::vector<size_t> ranks_;
  std::vector<std::unique_ptr<OrderNode>> nodes_;
  uint64_t epoch_ = 1;
  bool ended_ = false;  // what is delivered now is so whatever its level
  size_t delivered_ = 0;
};

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
  std::vector<uint8_t> bytes(wire::kMarksHeaderBytes + wire::kMarkBytes * (1 + random_.below(4)));
  bytes.resize(node(i).order().write_marks(bytes.data(), bytes.size(), 0));
  send(i, {wire::kMarksGroup, Qos::kSourceOrdered, 1, bytes});
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
    case 3:
      return acknowledge(i, any(), random_.below(ranks_.size()));
    case 4:
      node(i).refuse_after(random_.below(3) == 0 ? random_.below(4) : ~uint64_t{0});
      return node(i).order().poll();
    default:
      (void)read(i, any());
      if (random_.below(2) == 0) node(i).order().advance();
  }
}

// --- the model -----------------------------------------------------------------------------------

void World::place(Order& out, size_t of, uint64_t rel_seq, uint64_t mark) {
  const Sent& packet = logs_[of][rel_seq - 1];
  std::vector<Place>& in = out[node(ranks_[0]).order().domain_of(packet.group)];
  uint64_t index = 0;
  for (const Place& before : in) index += logs_[before.sender][before.rel_seq - 1].messages;
  in.push_back({of, rel_seq, index, mark, packet.qos});
}

// Of the view that begins behind begins_, and ends at the cuts if there are any.
Order World::order(const std::vector<uint64_t>* cuts) {
  const TotalOrder& any = node(ranks_[0]).order();
  Order out;
  std::set<std::pair<size_t, uint64_t>> placed;
  const auto end = [&](size_t of) { return cuts != nullptr ? (*cuts)[of] : logs_[of].size(); };
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const size_t marker = ranks_[rank];
    for (uint64_t at = begins_[marker] + 1; at <= end(marker); ++at) {
      const std::vector<uint8_t>& marks = logs_[marker][at - 1].marks;
      if (marks.empty()) continue;
      for (size_t item = 0; item < wire::count_marks(marks); ++item) {
        const wire::Mark what = wire::load_mark(marks, item);
        const size_t of = ranks_[what.rank];
        for (uint64_t p = begins_[of] + 1; p <= what.through; ++p) {
          const Sent& packet = logs_[of][p - 1];
          if (packet.ordered() && marker_of(any.domain_of(packet.group)) == rank &&
              placed.emplace(of, p).second)
            place(out, of, p, at);
        }
      }
    }
  }
  for (const size_t of : ranks_) {
    for (uint64_t p = begins_[of] + 1; cuts != nullptr && p <= end(of); ++p) {
      if (logs_[of][p - 1].ordered() && placed.emplace(of, p).second) place(out, of, p, 0);
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
  Order marked = order(nullptr);
  for (const Place& each : marked[what.domain]) {
    if (each.sender != of || each.rel_seq != what.rel_seq) continue;
    const size_t marker = ranks_[marker_of(what.domain)];
    size_t holders = 0;
    for (const size_t i : ranks_) {
      const bool holds = node(i).taken(stream(of, i)) >= each.rel_seq &&
                         node(i).taken(stream(marker, i)) >= each.mark;
      holders += holds ? 1 : 0;
    }
    const size_t all = ranks_.size();
    EXPECT_GE(holders, qos == Qos::kTotallyResilient ? all
                       : qos == Qos::kMajority       ? all / 2 + 1
                       : qos == Qos::kKResilient     ? std::min<size_t>(all, kConfig.k + 1)
                                                     : 1);
    return;
  }
  ADD_FAILURE() << "nobody has marked what node " << at << " delivers";
}

// What each has delivered in this view is the order's beginning; with cuts all of it.
void World::expect_one_order(const std::vector<size_t>& at, const std::vector<uint64_t>* cuts) {
  const Order expected = order(cuts);
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
    node(at).order().install(epoch_, of_members, next, rank_of(at));
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

TEST(TotalOrderModel, one_view__expect_one_order_each_level_reached_and_nothing_left) {
  size_t delivered = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(1 + seed % kMost, seed);
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

TEST(TotalOrderModel, views_end__expect_one_order_of_each_and_nothing_left) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::SplitMix64 random(seed * 1'000);
    const size_t nodes = 3 + seed % 3;
    World world(nodes, seed);
    std::vector<size_t> alive;
    for (size_t i = 0; i < nodes; ++i) alive.push_back(i);
    for (int views = 0; views < 3; ++views) {
      world.run(static_cast<int>(random.below(300)));
      std::set<size_t> departed;
      if (alive.size() > 1 && random.below(4) != 0) {
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

}  // namespace total_order_model_test
}  // namespace lambdacast::ordering
