// SPDX-License-Identifier: BSD-3-Clause
// A spanning tree of least weight, by Boruvka: in each iteration every component chooses the edge
// of least (weight, number) that leaves it, and components that are joined by chosen edges merge.
// There are at most log2(nodes) iterations, each of two phases:
//
//   choose  all tell their neighbours their component; the least edge goes up the component's tree
//           by an echo, and the word to connect comes down to the end of the edge
//   merge   the edge that both its ends have chosen is the core of what has merged; its end with
//           the lesser number becomes the root, and its number floods as that of the component
//
// The word to connect goes the way of the echo back. With Config::tells_all it goes to the whole
// component, so that each switch knows when it has done its part of the phase (ByIteration).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class Boruvka {
 public:
  static constexpr const char* kName = "boruvka";
  static constexpr unsigned kBytes = 9;
  struct Config {
    std::vector<uint32_t> weights;  // by link
    bool tells_all = false;         // the choice, to the whole component
  };
  struct Result {
    NodeId component = kNone;
    Filter tree;  // the ports of the tree's edges
    bool operator==(const Result&) const = default;
  };

  Boruvka(const NodeView& self, const Config& config)
      : self_(self.id()),
        tells_all_(config.tells_all),
        neighbors_(self.degree()),
        component_(self.id()),
        ports_(self.ports()),
        tree_(self.ports()),
        connected_(self.ports()),
        forward_(self.ports()) {
    for (size_t port = 0; port < self.ports(); ++port) {
      const LinkId link = self.link(port);
      ports_[port] = {{config.weights[link], link}, self.neighbor(port)};
    }
  }

  void on_round(Round& round) {
    if (round.phase() % 2 == 0) {
      choose(round);
    } else {
      merge(round);
    }
  }
  void on_message(size_t port, const Message& message) {
    switch (static_cast<Kind>(message.words[0])) {
      case Kind::kComponent:
        if (tells_all_) --awaited_;
        if (message.words[1] != component_) consider(ports_[port].edge, port);
        break;
      case Kind::kEcho:
        --awaited_;
        consider({message.words[1], message.words[2]}, port);
        break;
      case Kind::kChoose:
        chosen_ = true;
        if (tells_all_) choice_ = {message.words[1], message.words[2]};
        break;
      case Kind::kConnect:
        connected_.set(port);
        join(port);
        break;
      case Kind::kNewRoot:
        component_ = message.words[1];
        parent_ = port;
        forwards_ = more_ = done_ = true;
        break;
    }
  }
  // A switch without neighbours hears of nobody, and goes on by itself.
  [[nodiscard]] bool active() const { return tells_all_ && !echoed_ && awaited_ == 0; }
  [[nodiscard]] bool more() const { return more_; }
  // With tells_all: this switch has done its part of the phase.
  [[nodiscard]] bool iterated() const { return done_ && !forwards_; }
  [[nodiscard]] Result result() const { return {component_, tree_}; }

 private:
  enum class Kind : uint8_t { kComponent, kEcho, kChoose, kConnect, kNewRoot };
  using Edge = std::pair<uint32_t, LinkId>;  // weight and number: no two are equal
  static constexpr Edge kNoEdge{kNone, kNone};
  struct Port {
    Edge edge;
    NodeId neighbor = kNone;
  };

  static Message say(Kind kind, uint32_t first = 0, uint32_t second = 0) {
    return {{static_cast<uint32_t>(kind), first, second}};
  }
  void choose(Round& round) {
    if (round.number() == 0) {
      best_ = kNoEdge;
      best_port_ = connect_port_ = kNoPort;
      echoed_ = chosen_ = more_ = done_ = false;
      connected_.clear();
      forward_ = tree_;  // edges that neighbours connect meanwhile lead to other components
      if (parent_ != kNoPort) forward_.reset(parent_);
      awaited_ = degree_ - (parent_ == kNoPort ? 0 : 1) + (tells_all_ ? neighbors_ : 0);
      round.broadcast(say(Kind::kComponent, component_));
      return;
    }
    if (!echoed_ && awaited_ == 0) {
      echoed_ = true;
      if (parent_ != kNoPort) {
        round.send(parent_, say(Kind::kEcho, best_.first, best_.second));
      } else {
        choice_ = best_;
        chosen_ = best_ != kNoEdge || tells_all_;
      }
    }
    if (!chosen_) return;
    chosen_ = false;
    if (tells_all_) return tell_all(round);
    if (best_ == ports_[best_port_].edge) {
      connect_port_ = best_port_;
      join(best_port_);
      more_ = true;
      round.send(best_port_, say(Kind::kConnect));
    } else {
      round.send(best_port_, say(Kind::kChoose));
    }
  }
  void tell_all(Round& round) {
    done_ = true;
    round.multicast(forward_, say(Kind::kChoose, choice_.first, choice_.second));
    if (choice_ == kNoEdge || choice_ != best_ || best_ != ports_[best_port_].edge) return;
    connect_port_ = best_port_;
    join(best_port_);
    more_ = true;
    round.send(best_port_, say(Kind::kConnect));
  }
  void merge(Round& round) {
    if (round.number() == 0) {
      more_ = forwards_ = false;
      done_ = choice_ == kNoEdge;  // nothing leaves the component
      const bool core = connect_port_ != kNoPort && connected_.test(connect_port_);
      if (!core || self_ > ports_[connect_port_].neighbor) return;
      component_ = self_;
      parent_ = kNoPort;
      more_ = done_ = true;
      round.multicast(tree_, say(Kind::kNewRoot, component_));
    } else if (forwards_) {
      forwards_ = false;
      forward_ = tree_;
      forward_.reset(parent_);
      round.multicast(forward_, say(Kind::kNewRoot, component_));
    }
  }
  void consider(const Edge& edge, size_t port) {
    if (edge >= best_) return;
    best_ = edge;
    best_port_ = port;
  }
  void join(size_t port) {
    degree_ += tree_.test(port) ? 0 : 1;
    tree_.set(port);
  }

  const NodeId self_;
  const bool tells_all_;
  const size_t neighbors_;  // alive
  NodeId component_;
  std::vector<Port> ports_;
  Filter tree_;
  Filter connected_;  // by which ports a neighbour has connected in this iteration
  Filter forward_;
  size_t degree_ = 0;        // in the tree
  size_t parent_ = kNoPort;  // towards the root of the component
  size_t awaited_ = 0;       // children that have not echoed, and with tells_all_ neighbours
  Edge choice_ = kNoEdge;    // of the component, with tells_all_
  Edge best_ = kNoEdge;      // of those of this subtree that leave the component
  size_t best_port_ = kNoPort;
  size_t connect_port_ = kNoPort;  // by which this switch has connected in this iteration
  bool echoed_ = false;
  bool chosen_ = false;
  bool done_ = false;  // with tells_all_: this switch's part of the phase, but for forwarding
  bool forwards_ = false;
  bool more_ = false;
};

}  // namespace lambdacast::congest
