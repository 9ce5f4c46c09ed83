// SPDX-License-Identifier: BSD-3-Clause
#include "clock_sync/candidate_trees.h"

#include <algorithm>
#include <utility>

namespace lambdacast::clock_sync {

CandidateTrees::CandidateTrees(size_t ports, bool direct, std::vector<PortLink>& links)
    : ports_(ports),
      words_((ports + 63) / 64),
      direct_(direct),
      links_(links),
      places_(kMostCandidates + 1),
      bits_((kMostCandidates + 1) * kKinds * words_),
      dead_(words_),
      touched_(words_) {}

void CandidateTrees::begin(NodeId root, size_t father, uint16_t distance) {
  std::fill(places_.begin(), places_.end(), Place{});
  std::fill(bits_.begin(), bits_.end(), 0);
  for (PortLink& link : links_) link.forget();
  trees_ = 0;
  best_ = kFloodTree;
  broken_ = false;
  add(root, father, distance);
}

void CandidateTrees::add_own(NodeId self) {
  if (find(self) == kNoPort && trees_ < kMostCandidates) add(self, kNoPort, 0);
}

size_t CandidateTrees::add(NodeId root, size_t father, uint16_t distance) {
  const size_t tree = trees_++;
  places_[tree] = {
      .root = root, .father = father, .distance = distance, .active = true, .heard = dead_ports_};
  for (size_t word = 0; word < words_; ++word) bits_[index(tree, kHeard, word)] = dead_[word];
  to_all(wave_bit(tree), kNoPort);
  if (father != kNoPort) heard_wave(tree, father, false);
  look(tree);
  return tree;
}

size_t CandidateTrees::find(NodeId root) const {
  for (size_t tree = 0; tree < trees_; ++tree)
    if (places_[tree].root == root) return tree;
  return kNoPort;
}

void CandidateTrees::add_due(size_t port, uint64_t bit) {
  if (dead(port)) return;
  links_[port].add(bit);
  touched_[port / 64] |= uint64_t{1} << port % 64;
}

void CandidateTrees::to_all(uint64_t bit, size_t except) {
  for (size_t port = 0; port < ports_; ++port)
    if (port != except) add_due(port, bit);
}

void CandidateTrees::on_wave(size_t port, const Item& item) {
  const size_t tree = find(item.root);
  if (tree != kNoPort) return heard_wave(tree, port, item.flag);
  if (trees_ < kMostCandidates) add(item.root, port, static_cast<uint16_t>(item.first + 1));
}

void CandidateTrees::heard_wave(size_t tree, size_t port, bool child) {
  Place& place = places_[tree];
  if (test(tree, kHeard, port)) {
    broken_ |= child && !test(tree, kChild, port) && place.father != port;
    return;
  }
  set(tree, kHeard, port);
  ++place.heard;
  if (child) {
    set(tree, kChild, port);
    ++place.children;
  }
  look(tree);
}

void CandidateTrees::on_echo(size_t port, const Item& item) {
  const size_t tree = find(item.root);
  if (tree == kNoPort || test(tree, kEchoed, port) || !test(tree, kChild, port)) return;
  set(tree, kEchoed, port);
  ++places_[tree].echoes;
  places_[tree].longest = std::max(places_[tree].longest, item.second);
  add_arm(tree, port, static_cast<uint16_t>(item.first + 1));
  look(tree);
}

// Keeps the two deepest arms, of different ports.
void CandidateTrees::add_arm(size_t tree, size_t port, uint16_t depth) {
  Place& place = places_[tree];
  if (depth > place.deepest) {
    place.second = place.deepest;
    place.deepest = depth;
    place.deepest_port = port;
  } else {
    place.second = std::max(place.second, depth);
  }
}

void CandidateTrees::look(size_t tree) {
  Place& place = places_[tree];
  if (place.echoed || place.heard < ports_ || place.echoes < place.children) return;
  place.echoed = true;
  if (place.father != kNoPort) {
    add_due(place.father, echo_bit(tree));
    return;
  }
  place.longest = std::max<uint16_t>(place.longest, place.deepest + place.second);
  place.height = static_cast<uint16_t>((place.longest + 1) / 2);
  settle(tree, kNoPort);
}

// The root would stand here. It is at the centre, or it moves towards the deepest arm.
void CandidateTrees::settle(size_t tree, size_t from) {
  Place& place = places_[tree];
  if (place.deepest >= place.second + 2) {
    place.moved_to = place.deepest_port;
    add_due(place.moved_to, result_bit(tree));
    if (!direct_) return;  // the centre tells the height
  }
  know(tree, place.height, direct_ ? from : kNoPort);
}

// Only now fathers and children change: until its height is known, the tree may be in force as the
// flood has built it.
void CandidateTrees::know(size_t tree, uint16_t height, size_t from) {
  Place& place = places_[tree];
  place.resulted = true;
  place.height = height;
  if (place.moved_from != kNoPort) {
    place.father = kNoPort;
    set(tree, kChild, place.moved_from);
    ++place.children;
  }
  if (place.moved_to != kNoPort) {
    place.father = place.moved_to;
    remove_child(tree, place.moved_to);
  }
  const Place& best = places_[best_];
  const bool better = best_ == tree || !best.resulted ||
                      std::pair(height, place.root) < std::pair(best.height, best.root);
  if (better) best_ = tree;
  if (direct_) {
    each_child(tree, [&](size_t port) {
      if (port != from) add_due(port, result_bit(tree));
    });
  } else if (better) {
    to_all(result_bit(tree), from);
  }
}

void CandidateTrees::on_result(size_t port, const Item& item) {
  const size_t tree = find(item.root);
  if (tree == kNoPort) return;
  Place& place = places_[tree];
  if (place.resulted) return;
  if (item.kind == ItemKind::kResult && !item.flag) return know(tree, item.first, port);
  if (place.father != port || place.moved_from != kNoPort) return;  // it has moved here before
  place.moved_from = port;
  place.height = item.first;
  add_arm(tree, port, static_cast<uint16_t>(item.second + 1));
  settle(tree, port);
}

void CandidateTrees::died(size_t port) {
  dead_[port / 64] |= uint64_t{1} << port % 64;
  ++dead_ports_;
  links_[port].forget();
  for (size_t tree = 0; tree < trees_; ++tree) {
    if (test(tree, kHeard, port)) continue;
    set(tree, kHeard, port);
    ++places_[tree].heard;
    look(tree);
  }
}

// The neighbour waits to hear what all others have heard.
void CandidateTrees::revived(size_t port) {
  dead_[port / 64] &= ~(uint64_t{1} << port % 64);
  --dead_ports_;
  for (size_t tree = 0; tree < trees_; ++tree) {
    Place& place = places_[tree];
    add_due(port, wave_bit(tree));
    if (place.echoed || place.father == port || test(tree, kChild, port)) continue;
    reset(tree, kHeard, port);
    --place.heard;
  }
}

void CandidateTrees::install(NodeId root, size_t father, const congest::Filter& children) {
  Place& place = places_[kInstalled];
  place = {.root = root, .father = father, .active = true};
  for (size_t word = 0; word < words_; ++word) bits_[index(kInstalled, kChild, word)] = 0;
  congest::FilterPorts::each(children, [&](size_t port) { set(kInstalled, kChild, port); });
  place.children = congest::FilterPorts::count(children);
}

void CandidateTrees::remove_child(size_t tree, size_t port) {
  if (!test(tree, kChild, port)) return;
  reset(tree, kChild, port);
  --places_[tree].children;
  if (test(tree, kEchoed, port)) --places_[tree].echoes;
}

bool CandidateTrees::undecided(size_t port) const {
  for (size_t tree = 0; tree < trees_; ++tree) {
    const Place& place = places_[tree];
    if (place.resulted || (!direct_ && places_[best_].resulted)) continue;
    if (place.father == port || test(tree, kChild, port)) return true;
  }
  return false;
}

bool CandidateTrees::awaited(size_t port) const {
  for (size_t tree = 0; tree < trees_; ++tree) {
    const Place& place = places_[tree];
    if (place.resulted || (!direct_ && places_[best_].resulted)) continue;
    if (!test(tree, kHeard, port) || (place.echoed && place.father == port) ||
        place.moved_to == port || (test(tree, kChild, port) && !test(tree, kEchoed, port)))
      return true;
  }
  return false;
}

Item CandidateTrees::item(size_t tree, uint64_t bit, size_t port) const {
  const Place& place = places_[tree];
  if (bit == wave_bit(tree))
    return {ItemKind::kWave, place.father == port, place.root, place.distance, 0};
  if (bit == echo_bit(tree)) {
    const auto longest =
        std::max<uint16_t>(place.longest, static_cast<uint16_t>(place.deepest + place.second));
    return {ItemKind::kEcho, false, place.root, place.deepest, longest};
  }
  const bool moves = place.moved_to == port;
  if (moves && !place.resulted)
    return {ItemKind::kMove, true, place.root, place.height, place.second};
  return {ItemKind::kResult, moves && direct_, place.root, place.height, place.second};
}

// The place of that child among its siblings.
uint16_t CandidateTrees::rank(size_t tree, size_t port) const {
  int before = 0;
  for (size_t word = 0; word < port / 64; ++word)
    before += std::popcount(bits_[index(tree, kChild, word)]);
  const uint64_t below = (uint64_t{1} << port % 64) - 1;
  before += std::popcount(bits_[index(tree, kChild, port / 64)] & below);
  return static_cast<uint16_t>(before);
}

size_t CandidateTrees::next_child(size_t tree, size_t port) const {
  for (size_t tried = 0; tried <= words_; ++tried) {
    if (port >= 64 * words_) port = 0;
    const uint64_t left = bits_[index(tree, kChild, port / 64)] >> port % 64;
    if (left != 0) return port + static_cast<size_t>(std::countr_zero(left));
    port = (port / 64 + 1) * 64;
  }
  return kNoPort;
}

}  // namespace lambdacast::clock_sync
