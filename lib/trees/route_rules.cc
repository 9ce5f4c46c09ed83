// SPDX-License-Identifier: BSD-3-Clause
// Naive and FRANCIS: a rule begins with the id of the switch that it is for.
//
//   header: (1 rule)* 0
//   rule:   id, hand to a server, ports
//   ports:  naive: 0 and a bitmap, or 1, the count and the ports; FRANCIS: a bitmap
#include "trees/route_schemes.h"

namespace lambdacast::trees::schemes {

namespace {

class Rules {
 public:
  Rules(const RouteContext& context, bool lists)
      : graph_(context.graph),
        layers_(context.layers),
        lists_(lists),
        id_bits_(bits_for(context.graph.nodes())) {}

  void encode(const Tree& tree, Bits& header) const {
    header.clear();
    for (const Tree::Branch& branch : tree.branches) {
      if (branch.leaf()) continue;
      header.push(true);
      header.push(branch.node, id_bits_);
      if (layers_.has_servers(branch.node)) header.push(branch.receiver);
      push_ports(tree, branch, header);
    }
    header.push(false);
  }

  [[nodiscard]] Delivery deliver(NodeId root, const Bits& header) const {
    return follow(graph_, root, 0, [&](const Step& step, auto&& forward) {
      BitReader reader(header);
      while (reader.bit()) {
        const auto id = static_cast<NodeId>(reader.number(id_bits_));
        if (id >= graph_.nodes()) return false;
        const bool hand = layers_.has_servers(id) && reader.bit();
        const bool mine = id == step.node;
        read_ports(id, reader, [&](size_t port) {
          if (mine && port < graph_.degree(id)) forward(graph_.arc(id, port), 0);
        });
        if (mine) return hand;
      }
      return step.came != kNone;
    });
  }

 private:
  void push_ports(const Tree& tree, const Tree::Branch& branch, Bits& header) const {
    const size_t ports = graph_.degree(branch.node);
    const uint32_t port_bits = bits_for(ports);
    const size_t list = size_t{branch.children + 1} * port_bits;
    const bool as_list = lists_ && list < ports;
    if (lists_) header.push(as_list);
    if (as_list) header.push(branch.children - 1, port_bits);
    const size_t first = as_list ? 0 : header.extend(ports);
    for (uint32_t i = 0; i < branch.children; ++i) {
      const size_t port = graph_.port(tree.branches[branch.first_child + i].arc);
      if (as_list) {
        header.push(port, port_bits);
      } else {
        header.set(first + port);
      }
    }
  }
  template <typename Visitor>
  void read_ports(NodeId node, BitReader& reader, Visitor&& visit) const {
    const size_t ports = graph_.degree(node);
    const uint32_t port_bits = bits_for(ports);
    if (lists_ && reader.bit()) {
      const uint64_t count = reader.number(port_bits) + 1;
      for (uint64_t i = 0; i < count; ++i) visit(reader.number(port_bits));
    } else {
      for (size_t port = 0; port < ports; ++port) {
        if (reader.bit()) visit(port);
      }
    }
  }

  const Graph& graph_;
  const Layers& layers_;
  bool lists_;
  uint32_t id_bits_;
};

}  // namespace

void encode_naive(const RouteContext& context, const Tree& tree, Bits& header) {
  Rules(context, true).encode(tree, header);
}
Delivery deliver_naive(const RouteContext& context, NodeId root, const Bits& header) {
  return Rules(context, true).deliver(root, header);
}
void encode_francis(const RouteContext& context, const Tree& tree, Bits& header) {
  Rules(context, false).encode(tree, header);
}
Delivery deliver_francis(const RouteContext& context, NodeId root, const Bits& header) {
  return Rules(context, false).deliver(root, header);
}

}  // namespace lambdacast::trees::schemes
