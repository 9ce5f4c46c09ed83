// SPDX-License-Identifier: BSD-3-Clause
// Ours: the rules in the tree's own order, each child's behind its parent's. A switch reads its
// rule in front and sends each child what is the child's alone, so the header shrinks on its way
// and no switch is named. An empty slice means the last switch, which hands the packet to a server.
//
//   slice:  [hand to a server, if it has one and is not the root] ports leaves lengths slices
//   ports:  00 port | 01 bitmap | 10 count, ports | 11 count, ports that are left out
//   leaves, if children have servers: 1: those are all last switches | 0, then a bit for each of
//           them: it is an inner one. A child without servers is an inner one in any case
//   lengths, if two children or more are inner ones: their width (5 bits), then by inner child but
//           the last one the length of its slice
//
// The port that the packet came by is not counted among the ports.
#include <algorithm>

#include "trees/route_schemes.h"

namespace lambdacast::trees::schemes {

namespace {

constexpr uint32_t kWidthBits = 5;

enum Form : uint8_t { kOne, kBitmap, kList, kAllBut };

struct Ports {
  size_t count = 0;  // beside the one that the packet came by
  size_t came = 0;   // that one; none: beyond the others

  Ports(const Graph& graph, NodeId node, ArcId came_by)
      : count(graph.degree(node) - (came_by == kNone ? 0 : 1)),
        came(came_by == kNone ? count : graph.port(graph.reverse(came_by))) {}
  [[nodiscard]] size_t number(size_t port) const { return port < came ? port : port - 1; }
  [[nodiscard]] size_t port(size_t number) const { return number < came ? number : number + 1; }
};

class Writer {
 public:
  Writer(const RouteContext& context, const Tree& tree) : context_(context), tree_(tree) {}

  [[nodiscard]] Bits slice(const Tree::Branch& branch) const {
    Bits bits;
    if (branch.arc != kNone && context_.layers.has_servers(branch.node)) bits.push(branch.receiver);
    push_ports(branch, bits);
    push_leaves(branch, bits);
    std::vector<Bits> slices;
    for (uint32_t i = 0; i < branch.children; ++i) {
      const Tree::Branch& child = tree_.branches[branch.first_child + i];
      if (!child.leaf()) slices.push_back(slice(child));
    }
    if (slices.size() > 1) {
      size_t longest = 0;
      for (size_t i = 0; i + 1 < slices.size(); ++i) longest = std::max(longest, slices[i].size());
      const uint32_t width = bits_for(longest + 1);
      bits.push(width, kWidthBits);
      for (size_t i = 0; i + 1 < slices.size(); ++i) bits.push(slices[i].size(), width);
    }
    for (const Bits& child : slices) bits.append(child);
    return bits;
  }

 private:
  void push_ports(const Tree::Branch& branch, Bits& bits) const {
    const Ports ports(context_.graph, branch.node, branch.arc);
    const uint32_t width = bits_for(ports.count);
    std::vector<bool> used(ports.count);
    for (uint32_t i = 0; i < branch.children; ++i)
      used[ports.number(context_.graph.port(tree_.branches[branch.first_child + i].arc))] = true;
    const size_t others = ports.count - branch.children;
    const size_t list = size_t{branch.children + 1} * width, all_but = (others + 1) * width;
    const Form form = branch.children == 1                     ? kOne
                      : ports.count <= std::min(list, all_but) ? kBitmap
                      : list <= all_but                        ? kList
                                                               : kAllBut;
    bits.push(form, 2);
    if (form == kList) bits.push(branch.children - 1, width);
    if (form == kAllBut) bits.push(others, width);
    for (size_t i = 0; i < ports.count; ++i) {
      if (form == kBitmap) {
        bits.push(used[i]);
      } else if (used[i] == (form != kAllBut)) {
        bits.push(i, width);
      }
    }
  }
  void push_leaves(const Tree::Branch& branch, Bits& bits) const {
    Bits inner;
    bool any_inner = false;
    for (uint32_t i = 0; i < branch.children; ++i) {
      const Tree::Branch& child = tree_.branches[branch.first_child + i];
      if (!context_.layers.has_servers(child.node)) continue;
      inner.push(!child.leaf());
      any_inner |= !child.leaf();
    }
    if (inner.size() == 0) return;
    bits.push(!any_inner);
    if (any_inner) bits.append(inner);
  }

  const RouteContext& context_;
  const Tree& tree_;
};

class Reader {
 public:
  Reader(const RouteContext& context, const Bits& header) : context_(context), header_(header) {}

  Delivery deliver(NodeId root) {
    slices_.push_back({0, header_.size()});
    bool malformed = false;
    Delivery delivery =
        follow(context_.graph, root, 0, [&](const Step& step, auto&& forward) -> bool {
          const auto [from, to] = slices_[step.state];
          if (from == to) return step.came != kNone;
          BitReader reader(header_, from, to);
          const bool hand =
              step.came != kNone && context_.layers.has_servers(step.node) && reader.bit();
          read_ports(step, reader);
          read_slices(reader, to, [&](size_t i) { forward(arcs_[i], slices_.size() - 1); });
          malformed |= reader.overrun();
          return hand;
        });
    delivery.malformed |= malformed;
    return delivery;
  }

 private:
  struct Slice {
    size_t from;
    size_t to;
  };

  void read_ports(const Step& step, BitReader& reader) {
    const Ports ports(context_.graph, step.node, step.came);
    const uint32_t width = bits_for(ports.count);
    const auto form = static_cast<Form>(reader.number(2));
    std::vector<bool> used(ports.count, form == kAllBut);
    if (form == kBitmap) {
      for (size_t i = 0; i < ports.count; ++i) used[i] = reader.bit();
    } else {
      const uint64_t count = form == kOne    ? 1
                             : form == kList ? reader.number(width) + 1
                                             : reader.number(width);
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t port = reader.number(width);
        if (port < ports.count) used[port] = form != kAllBut;
      }
    }
    arcs_.clear();
    for (size_t i = 0; i < ports.count; ++i) {
      if (used[i]) arcs_.push_back(context_.graph.arc(step.node, ports.port(i)));
    }
  }
  template <typename Forward>
  void read_slices(BitReader& reader, size_t to, Forward&& forward) {
    const auto has_servers = [&](ArcId arc) {
      return context_.layers.has_servers(context_.graph.to(arc));
    };
    std::vector<bool> inner(arcs_.size(), true);
    const bool any_servers = std::any_of(arcs_.begin(), arcs_.end(), has_servers);
    const bool all_last = any_servers && reader.bit();
    for (size_t i = 0; i < arcs_.size(); ++i) {
      if (has_servers(arcs_[i])) inner[i] = !all_last && reader.bit();
    }
    const auto inners = static_cast<size_t>(std::count(inner.begin(), inner.end(), true));
    std::vector<size_t> lengths;
    if (inners > 1) {
      const auto width = static_cast<uint32_t>(reader.number(kWidthBits));
      for (size_t i = 0; i + 1 < inners; ++i) lengths.push_back(reader.number(width));
    }
    size_t at = reader.at(), next = 0;
    for (size_t i = 0; i < arcs_.size(); ++i) {
      const size_t end = !inner[i]               ? at
                         : next < lengths.size() ? std::min(to, at + lengths[next++])
                                                 : to;
      slices_.push_back({at, end});
      at = end;
      forward(i);
    }
  }

  const RouteContext& context_;
  const Bits& header_;
  std::vector<Slice> slices_;
  std::vector<ArcId> arcs_;
};

}  // namespace

void encode_slices(const RouteContext& context, const Tree& tree, Bits& header) {
  header.clear();
  if (!tree.root().leaf()) header = Writer(context, tree).slice(tree.root());
}
Delivery deliver_slices(const RouteContext& context, NodeId root, const Bits& header) {
  return Reader(context, header).deliver(root);
}

}  // namespace lambdacast::trees::schemes
