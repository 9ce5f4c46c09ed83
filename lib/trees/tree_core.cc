// SPDX-License-Identifier: BSD-3-Clause
#include "trees/tree_core.h"

#include <algorithm>
#include <array>

#include "base/random.h"

namespace lambdacast::trees {

TreeCore::TreeCore(const congest::Graph& graph, NodeId self, const RepairSettings& settings,
                   const InstalledGroups& installed)
    : graph_(graph),
      self_(self),
      settings_(settings),
      installed_(&installed),
      ports_(graph.degree(self)),
      touched_(graph.degree(self)),
      optimiser_(graph, self, settings, *this),
      probe_ns_(base::mix64(settings.seed ^ base::mix64(self)) % settings.interval_ns) {}

// Its name is beaten by every later flood, and beats those that are over: a switch that has not
// been told yet may speak of them.
void TreeCore::install(const InstalledGroups& installed) {
  installed_ = &installed;
  begin_anew({});
  if (name_.exists()) name_ = {static_cast<uint16_t>(name_.generation + 1), kNone};
  father_ = kNoPort;
  for (Port& port : ports_) port.routed_around = port.dead;
}

bool TreeCore::quiet() const {
  return std::all_of(ports_.begin(), ports_.end(),
                     [](const Port& port) { return port.dead || port.stream.quiet(); });
}

void TreeCore::on_frame(size_t at, const RepairFrame& frame, uint64_t now_ns, RepairOutlet& out) {
  Port& port = ports_[at];
  if (port.dead) return;  // its other end finds out, as nobody answers
  touched_.set(at);
  port.heard_ns = now_ns;
  port.vigil.heard();
  if (frame.asks) port.answer_due = true;
  if (frame.name == name_ && frame.acknowledges) port.stream.acknowledged(frame.next, now_ns);
  // The first body of a stream begins with the flood. Who has not got it takes nothing behind it.
  if (frame.numbered && frame.number == 0 && frame.name.beats(name_)) {
    std::span<const uint8_t> body = frame.records();
    const auto flood = take_record(body);
    if (flood && flood->kind == RecordKind::kFlood) join(at, frame.name, *flood);
  }
  if (frame.numbered && frame.name == name_) {
    if (port.stream.take(frame.number)) {
      std::span<const uint8_t> body = frame.records();
      while (const auto record = take_record(body)) on_record(at, *record);
    }
    if (with().piggyback) {
      port.acknowledge_ns = std::min(port.acknowledge_ns, now_ns + settings_.timeout_ns / 2);
    } else {
      port.acknowledgement_due = true;
    }
  }
  serve_touched(now_ns, out);
}

void TreeCore::on_record(size_t port, const Record& record) {
  switch (record.kind) {
    case RecordKind::kFlood:
      return on_flood(port, record);
    case RecordKind::kBits:
      return on_bits(port, record);
    case RecordKind::kAbove:
      return on_above(port, record);
    case RecordKind::kSubtree:
      nodes_ += number_at(record.bytes, 0, 3);
      living_ |= number_at(record.bytes, 3, 2);
      return;
    case RecordKind::kGo:
      if (port != father_ || going_) return;
      nodes_ = number_at(record.bytes, 0, 3);
      living_ = number_at(record.bytes, 3, 2);
      return go();
    default:
      return optimiser_.on_record(port, record);
  }
}

// --- the flood -----------------------------------------------------------------------------------

// Nothing of the flood before is of use: each flood has a tree and streams of its own.
void TreeCore::begin_anew(std::vector<NodeId> failed) {
  failed_ = std::move(failed);
  index_ = GroupIndex(*installed_, failed_);
  own_.assign((index_.groups() + 31) / 32, 0);
  index_.each_at(self_, [&](size_t group) { own_[group / 32] |= 1u << group % 32; });
  in_tree_ = own_;
  above_.assign(own_.size(), ~uint32_t{0});
  above_pieces_ = 0;
  pieces_ = std::max<size_t>(1, (in_tree_.size() + kPieceWords - 1) / kPieceWords);
  said_ = 0;
  nodes_ = 1;
  living_ = 0;
  for (size_t i = 0; i < failed_.size(); ++i) living_ |= (failed_[i] == self_ ? 1u : 0u) << i;
  mended_ = going_ = false;
  optimiser_.clear();
  for (Port& port : ports_) {
    port.stream.clear();
    port.is_son.clear();
    port.pieces = 0;
    port.answered = port.child = false;
    port.acknowledge_ns = kNever;
    port.acknowledgement_due = false;
  }
}

// It names all neighbours that are silent. Of a link that has failed both ends may so be named.
void TreeCore::begin_flood() {
  std::vector<NodeId> failed = failed_;
  for (size_t port = 0; port < ports_.size(); ++port)
    if (ports_[port].dead && !ports_[port].routed_around)
      failed.push_back(graph_.neighbors(self_)[port]);
  std::sort(failed.begin(), failed.end());
  failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
  failed.resize(std::min(failed.size(), kMostFailed));
  begin_anew(std::move(failed));
  name_ = {static_cast<uint16_t>(name_.generation + 1), self_};
  father_ = kNoPort;
  ++floods_;
  say_flood();
  advance();
}

void TreeCore::join(size_t port, const FloodName& name, const Record& flood) {
  std::vector<NodeId> failed;
  for (size_t i = 0; i < flood.bytes[2]; ++i)
    failed.push_back(number_at(flood.bytes, 3 + 3 * i, 3));
  begin_anew(std::move(failed));
  name_ = name;
  father_ = port;
  say_flood();
  bool news = false;
  for (size_t other = 0; other < ports_.size(); ++other) {
    const NodeId neighbor = graph_.neighbors(self_)[other];
    if (ports_[other].dead) {
      news |= !ports_[other].routed_around && !known(neighbor);
    } else if (with().suspects && std::binary_search(failed_.begin(), failed_.end(), neighbor)) {
      ports_[other].vigil.ask();
      touched_.set(other);
    }
  }
  if (news) begin_flood();
}

// Each neighbour's flood is its answer to ours.
void TreeCore::say_flood() {
  std::vector<uint8_t> record{static_cast<uint8_t>(RecordKind::kFlood), 0, 0,
                              static_cast<uint8_t>(failed_.size())};
  for (const NodeId node : failed_) put_number(record, node, 3);
  for (size_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].dead) continue;
    record[1] = port == father_ ? kIsChild : 0;
    push(port, record);
  }
}

void TreeCore::on_flood(size_t at, const Record& flood) {
  Port& port = ports_[at];
  if (port.answered) return;
  port.answered = true;
  port.child = (flood.bytes[0] & kIsChild) != 0;
  if (port.child) port.is_son.assign(in_tree_.size(), 0);
  advance();
}

void TreeCore::on_bits(size_t at, const Record& bits) {
  Port& port = ports_[at];
  if (!port.child || port.pieces == pieces_) return;
  const size_t first = kPieceWords * port.pieces++;
  for (size_t i = 0; i < bits.bytes[0] && first + i < in_tree_.size(); ++i) {
    const uint32_t word = number_at(bits.bytes, 1 + 4 * i, 4);
    port.is_son[first + i] = word;
    in_tree_[first + i] |= word;
  }
  advance();
}

// A piece goes up when everybody has answered the flood and every child has sent that piece.
void TreeCore::advance() {
  if (mended_) return;
  size_t least = pieces_;
  for (size_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].dead || port == father_) continue;
    if (!ports_[port].answered) return;
    if (ports_[port].child) least = std::min(least, ports_[port].pieces);
  }
  while (said_ < least) say_bits();
  if (said_ < pieces_) return;
  mended_ = true;
  if (father_ == kNoPort) go();
}

size_t TreeCore::words_in(size_t piece) const {
  return std::min(kPieceWords, own_.size() - std::min(kPieceWords * piece, own_.size()));
}

std::vector<uint8_t> TreeCore::piece_record(RecordKind kind,
                                            std::span<const uint32_t> words) const {
  std::vector<uint8_t> record{static_cast<uint8_t>(kind), static_cast<uint8_t>(words.size())};
  for (const uint32_t word : words) put_number(record, word, 4);
  return record;
}

void TreeCore::say_bits() {
  const size_t piece = said_++;
  if (father_ == kNoPort) {
    if (with().above) say_above(piece);
    return;
  }
  // In front of the last piece, behind which the father may go on.
  if (said_ == pieces_) push(father_, subtree(RecordKind::kSubtree));
  const std::span<const uint32_t> words(in_tree_);
  push(father_,
       piece_record(RecordKind::kBits,
                    words.subspan(std::min(kPieceWords * piece, words.size()), words_in(piece))));
}

// The father says a piece once this switch has said its own, so that those of all children are
// here.
void TreeCore::on_above(size_t at, const Record& above) {
  if (at != father_ || above_pieces_ == said_) return;
  const size_t piece = above_pieces_++;
  for (size_t i = 0; i < std::min<size_t>(above.bytes[0], words_in(piece)); ++i)
    above_[kPieceWords * piece + i] = number_at(above.bytes, 1 + 4 * i, 4);
  say_above(piece);
}

// Tells each child which groups have members elsewhere: here, above, or below another child.
void TreeCore::say_above(size_t piece) {
  const size_t words = words_in(piece);
  if (words == 0) return;
  std::array<uint32_t, kPieceWords> once{}, twice{}, elsewhere{};
  const auto word_of = [&](const Words& bits, size_t i) { return bits[kPieceWords * piece + i]; };
  for (size_t i = 0; i < words; ++i)
    once[i] = word_of(own_, i) | (father_ == kNoPort ? 0 : word_of(above_, i));
  for (const Port& port : ports_) {
    if (!port.child) continue;
    for (size_t i = 0; i < words; ++i) {
      twice[i] |= once[i] & word_of(port.is_son, i);
      once[i] |= word_of(port.is_son, i);
    }
  }
  for (size_t at = 0; at < ports_.size(); ++at) {
    if (!ports_[at].child) continue;
    for (size_t i = 0; i < words; ++i)
      elsewhere[i] = twice[i] | (once[i] & ~word_of(ports_[at].is_son, i));
    push(at, piece_record(RecordKind::kAbove, std::span(elsewhere).first(words)));
  }
}

std::vector<uint8_t> TreeCore::subtree(RecordKind kind) const {
  std::vector<uint8_t> record{static_cast<uint8_t>(kind)};
  put_number(record, nodes_, 3);
  put_number(record, living_, 2);
  return record;
}

// All bitmaps are where they belong, and the optimisation begins.
void TreeCore::go() {
  going_ = true;
  const std::vector<uint8_t> record = subtree(RecordKind::kGo);
  congest::Filter alive(ports_.size()), children(ports_.size());
  for (size_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].dead) continue;
    alive.set(port);
    if (!ports_[port].child) continue;
    children.set(port);
    push(port, record);
  }
  const uint64_t seed = base::mix64(settings_.seed ^ name_.generation) ^ name_.detector;
  std::vector<NodeId> dead;
  for (size_t i = 0; i < failed_.size(); ++i)
    if ((living_ >> i & 1) == 0) dead.push_back(failed_[i]);
  optimiser_.begin({index_, dead, alive, father_, children, nodes_, seed});
}

}  // namespace lambdacast::trees
