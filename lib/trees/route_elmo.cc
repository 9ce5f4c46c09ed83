// SPDX-License-Identifier: BSD-3-Clause
// Elmo (SIGCOMM 2019, section 3), with the rules of the racks' switches left to servers.
//
//   in layers:     way up, then for each layer below the turn, from above, but that of the racks:
//                  sharing rules
//   way up:        by layer from the racks': [bitmap of ports downwards, above the racks], and
//   below
//                  the top: 1: it goes on upwards, by a port that the switch chooses
//   without any:   the count of depths (8 bits), then for each depth sharing rules; the root's
//                  needs no id
//   sharing rules: (1 bitmap id (1 id)* 0)* 0
//
// Without layers a bitmap has a port more, which leads to the switch's own servers.
#include <algorithm>
#include <map>

#include "trees/route_schemes.h"

namespace lambdacast::trees::schemes {

namespace {

constexpr uint32_t kDepthBits = 8;

using Bitmap = std::vector<bool>;

struct Rule {
  Bitmap ports;
  std::vector<uint64_t> ids;
};

size_t ones(const Bitmap& ports) {
  return static_cast<size_t>(std::count(ports.begin(), ports.end(), true));
}
Bitmap both(Bitmap one, const Bitmap& other) {
  for (size_t i = 0; i < one.size(); ++i) one[i] = one[i] || other[i];
  return one;
}

// The switches of a layer. Those that share a bitmap may use ports that are not theirs,
// `redundancy` at most.
class Sharing {
 public:
  explicit Sharing(const RouteConfig& config) : config_(config) {}

  void add(uint64_t id, Bitmap ports) { alone_.push_back({std::move(ports), {id}}); }
  void push(uint32_t id_bits, Bits& header) {
    std::vector<Rule> rules = config_.elmo_redundancy == 0 ? equal() : similar();
    for (const Rule& rule : rules) {
      header.push(true);
      for (const bool port : rule.ports) header.push(port);
      for (size_t i = 0; i < rule.ids.size(); ++i) {
        if (i != 0) header.push(true);
        header.push(rule.ids[i], id_bits);
      }
      header.push(false);
    }
    header.push(false);
  }

 private:
  [[nodiscard]] std::vector<Rule> equal() const {
    std::map<Bitmap, std::vector<uint64_t>> by_ports;
    for (const Rule& rule : alone_) by_ports[rule.ports].push_back(rule.ids[0]);
    std::vector<Rule> rules;
    for (const auto& [ports, ids] : by_ports) {
      for (size_t first = 0; first < ids.size(); first += config_.elmo_sharers) {
        const size_t end = std::min(ids.size(), first + config_.elmo_sharers);
        rules.push_back({ports,
                         {ids.begin() + static_cast<std::ptrdiff_t>(first),
                          ids.begin() + static_cast<std::ptrdiff_t>(end)}});
      }
    }
    return rules;
  }
  // The switch that gives the least union joins next, as long as none gets too many ports.
  [[nodiscard]] std::vector<Rule> similar() const {
    std::vector<Rule> rules, left = alone_;
    while (!left.empty()) {
      Rule rule = left.back();
      size_t fewest = ones(rule.ports);  // of a sharer
      left.pop_back();
      while (rule.ids.size() < config_.elmo_sharers) {
        size_t best = left.size(), best_ones = rule.ports.size() + 1;
        for (size_t i = 0; i < left.size(); ++i) {
          const size_t together = ones(both(rule.ports, left[i].ports));
          const size_t least = std::min(fewest, ones(left[i].ports));
          if (together < best_ones && together - least <= config_.elmo_redundancy)
            best = i, best_ones = together;
        }
        if (best == left.size()) break;
        fewest = std::min(fewest, ones(left[best].ports));
        rule.ports = both(rule.ports, left[best].ports);
        rule.ids.push_back(left[best].ids[0]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      }
      rules.push_back(std::move(rule));
    }
    return rules;
  }

  const RouteConfig& config_;
  std::vector<Rule> alone_;
};

// The ports of the rule that has the id; empty: none has. Reads on to the end of the rules.
Bitmap find_rule(BitReader& reader, size_t ports, uint32_t id_bits, uint64_t id) {
  Bitmap found;
  while (reader.bit()) {
    Bitmap bitmap(ports);
    for (size_t i = 0; i < ports; ++i) bitmap[i] = reader.bit();
    do {
      if (reader.number(id_bits) == id) found = bitmap;
    } while (reader.bit());
  }
  return found;
}

class Layered {
 public:
  explicit Layered(const RouteContext& context)
      : context_(context), top_(context.down_ports.size() - 1) {}

  void encode(const Tree& tree, Bits& header) const {
    const size_t size = context_.down_ports.size();
    std::vector<Sharing> below(size, Sharing(context_.config));
    size_t turn = 0;
    std::vector<bool> downward(tree.branches.size());
    for (size_t i = 0; i < tree.branches.size(); ++i) {
      const Tree::Branch& branch = tree.branches[i];
      const size_t layer = context_.layers.layer[branch.node];
      Bitmap ports(context_.down_ports[layer]);
      bool goes_up = false;
      for (uint32_t c = 0; c < branch.children; ++c) {
        const Tree::Branch& child = tree.branches[branch.first_child + c];
        if (context_.layers.layer[child.node] > layer) {
          goes_up = true;
        } else {
          downward[branch.first_child + c] = true;
          ports[context_.graph.port(child.arc)] = true;
        }
      }
      if (downward[i]) {
        if (layer != 0) below[layer].add(context_.layers.logical[branch.node], std::move(ports));
        continue;
      }
      for (const bool port : ports) header.push(port);
      if (layer != top_) header.push(goes_up);
      turn = layer;
    }
    for (size_t layer = turn; layer-- > 1;) below[layer].push(id_bits(layer), header);
  }

  Delivery deliver(NodeId root, const Bits& header, const UpwardArc& upward) const {
    bool overrun = false;
    Delivery delivery = follow(context_.graph, root, 0, [&](const Step& step, auto&& forward) {
      const size_t layer = context_.layers.layer[step.node];
      const bool from_above =
          step.came != kNone && context_.layers.layer[context_.graph.from(step.came)] > layer;
      if (from_above && layer == 0) return true;
      BitReader reader(header);
      const Bitmap ports =
          from_above ? below(reader, layer, step.node)
                     : on_the_way_up(reader, layer, [&] { forward(upward(step.node), 0); });
      for (size_t port = 0; port < ports.size(); ++port) {
        if (ports[port]) forward(context_.graph.arc(step.node, port), 0);
      }
      overrun |= reader.overrun();
      return false;
    });
    delivery.malformed |= overrun;
    return delivery;
  }

 private:
  [[nodiscard]] uint32_t id_bits(size_t layer) const {
    return bits_for(context_.layers.logical_switches[layer]);
  }
  template <typename Upward>
  [[nodiscard]] Bitmap on_the_way_up(BitReader& reader, size_t mine, Upward&& go_up) const {
    for (size_t layer = 0;; ++layer) {
      Bitmap ports(context_.down_ports[layer]);
      for (size_t i = 0; i < ports.size(); ++i) ports[i] = reader.bit();
      const bool goes_on = layer != top_ && reader.bit();
      if (layer == mine && goes_on) go_up();
      if (layer == mine) return ports;
      if (!goes_on) return {};
    }
  }
  [[nodiscard]] Bitmap below(BitReader& reader, size_t mine, NodeId node) const {
    size_t turn = 0;
    reader.skip(context_.down_ports[0]);
    while (turn != top_ && reader.bit()) reader.skip(context_.down_ports[++turn]);
    for (size_t layer = turn; layer-- > 1;) {
      Bitmap ports = find_rule(reader, context_.down_ports[layer], id_bits(layer),
                               context_.layers.logical[node]);
      if (layer == mine) return ports;
    }
    return {};
  }

  const RouteContext& context_;
  size_t top_;
};

class Flat {
 public:
  explicit Flat(const RouteContext& context)
      : context_(context),
        ports_(context.most_ports + 1),
        id_bits_(bits_for(context.graph.nodes())) {}

  void encode(const Tree& tree, Bits& header) const {
    std::vector<Sharing> depths;
    std::vector<uint32_t> depth(tree.branches.size());
    for (size_t i = 0; i < tree.branches.size(); ++i) {
      const Tree::Branch& branch = tree.branches[i];
      if (branch.parent != kNone) depth[i] = depth[branch.parent] + 1;
      if (branch.leaf()) continue;
      if (depths.size() == depth[i]) depths.emplace_back(context_.config);
      Bitmap ports(ports_);
      for (uint32_t c = 0; c < branch.children; ++c)
        ports[context_.graph.port(tree.branches[branch.first_child + c].arc)] = true;
      ports.back() = branch.receiver;
      depths[depth[i]].add(i == 0 ? 0 : branch.node, std::move(ports));
    }
    header.push(depths.size(), kDepthBits);
    for (size_t i = 0; i < depths.size(); ++i) depths[i].push(i == 0 ? 0 : id_bits_, header);
  }

  Delivery deliver(NodeId root, const Bits& header) const {
    bool overrun = false;
    Delivery delivery = follow(context_.graph, root, 0, [&](const Step& step, auto&& forward) {
      BitReader reader(header);
      const uint64_t depths = reader.number(kDepthBits);
      Bitmap ports;
      for (uint64_t depth = 0; depth <= step.state && depth < depths; ++depth) {
        Bitmap found =
            find_rule(reader, ports_, depth == 0 ? 0 : id_bits_, depth == 0 ? 0 : step.node);
        if (depth == step.state) ports = std::move(found);
      }
      overrun |= reader.overrun();
      if (ports.empty()) return step.came != kNone;
      for (size_t port = 0; port < context_.graph.degree(step.node); ++port) {
        if (ports[port]) forward(context_.graph.arc(step.node, port), step.state + 1);
      }
      return bool{ports.back()};
    });
    delivery.malformed |= overrun;
    return delivery;
  }

 private:
  const RouteContext& context_;
  size_t ports_;
  uint32_t id_bits_;
};

}  // namespace

void encode_elmo(const RouteContext& context, const Tree& tree, Bits& header) {
  header.clear();
  if (context.layers.clos()) {
    Layered(context).encode(tree, header);
  } else {
    Flat(context).encode(tree, header);
  }
}

Delivery deliver_elmo(const RouteContext& context, NodeId root, const Bits& header,
                      const UpwardArc& upward) {
  return context.layers.clos() ? Layered(context).deliver(root, header, upward)
                               : Flat(context).deliver(root, header);
}

}  // namespace lambdacast::trees::schemes
