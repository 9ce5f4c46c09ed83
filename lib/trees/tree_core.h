// SPDX-License-Identifier: BSD-3-Clause
// One switch of a fabric whose multicast trees mend themselves (FRANCIS, section 4.2):
//
//   a neighbour is silent --> a flood names it, and builds one tree over all switches
//   --> echoes bring bitmaps up: which groups hang below which child        (fast recovery)
//   --> bitmaps come down: which groups have members that are not below     (with `above`)
//   --> a spanner, searches from the sources, and small trees by set cover  (optimisation)
//   --> the controller installs its own trees: install() ends it all
//
// A neighbour that a flood does not name yet, or that the flood's tree hangs on, begins another
// flood of a later generation, which names all that is known to have failed.
//
// Pure: frames and the time come in, and frames go out. Allocates while something has failed.
// doc/design.md says what each phase does, and what was published of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "congest/algorithm.h"
#include "congest/vigil.h"
#include "trees/group_index.h"
#include "trees/repair_frame.h"
#include "trees/repair_settings.h"
#include "trees/repair_stream.h"
#include "trees/tree_optimiser.h"

namespace lambdacast::trees {

using congest::kNoPort;

// Takes the frames that a switch sends.
class RepairOutlet {
 public:
  virtual void send(size_t port, const RepairFrame& frame) = 0;

 protected:
  ~RepairOutlet() = default;
};

class TreeCore final : private RecordSink {
 public:
  using Words = std::vector<uint32_t>;  // 32 groups each

  // All outlive it; `graph` for its own ports alone.
  TreeCore(const congest::Graph& graph, NodeId self, const RepairSettings& settings,
           const InstalledGroups& installed);

  void on_frame(size_t port, const RepairFrame& frame, uint64_t now_ns, RepairOutlet& out);
  void on_timer(uint64_t now_ns, RepairOutlet& out);
  [[nodiscard]] uint64_t next_deadline_ns() const { return deadline_ns_; }
  // The controller has installed its own trees, in which nothing has its place that this switch
  // knows to have failed: what was mended is of no use any more, and no flood names that again. For
  // when all switches have mended their trees. A failure may come once all have been told.
  // `installed` outlives this switch, or the next call.
  void install(const InstalledGroups& installed);
  void install(InstalledGroups&&) = delete;

  // --- what it knows ---
  [[nodiscard]] const FloodName& name() const { return name_; }
  [[nodiscard]] std::span<const NodeId> failed() const { return failed_; }
  [[nodiscard]] const GroupIndex& index() const { return index_; }
  [[nodiscard]] size_t father() const { return father_; }  // port; kNoPort: it is the root
  [[nodiscard]] bool dead(size_t port) const { return ports_[port].dead; }
  // All bitmaps of its children have come.
  [[nodiscard]] bool mended() const { return mended_; }
  // The groups below that port; empty: it leads to no child.
  [[nodiscard]] const Words& is_son(size_t port) const { return ports_[port].is_son; }
  // Has the group members that are not below this switch? True as long as that is not known: then a
  // packet climbs in vain.
  [[nodiscard]] bool above(size_t group) const {
    return father_ != kNoPort && (above_[group / 32] >> group % 32 & 1) != 0;
  }
  [[nodiscard]] const TreeOptimiser& optimiser() const { return optimiser_; }
  [[nodiscard]] bool optimised() const { return optimiser_.finished(); }
  // Nothing waits to be sent or acknowledged.
  [[nodiscard]] bool quiet() const;
  [[nodiscard]] uint64_t floods() const { return floods_; }  // begun here

 private:
  struct Port {
    RepairStream stream;
    congest::Vigil vigil;
    Words is_son;
    size_t pieces = 0;  // that have come
    uint64_t free_ns = 0;
    uint64_t heard_ns = 0;
    uint64_t acknowledge_ns = kNever;
    bool probe_due = false;
    bool answer_due = false;
    bool acknowledgement_due = false;
    bool dead = false;
    bool routed_around = false;  // dead, and in no tree that the controller has installed
    bool answered = false;       // the flood
    bool child = false;
  };
  [[nodiscard]] const RepairImprovements& with() const { return settings_.improvements; }
  [[nodiscard]] uint64_t patience_ns() const;

  // --- failures (tree_detection.cc) ---
  void look_at(size_t port, uint64_t now_ns);
  void declare_dead(size_t port);
  [[nodiscard]] bool known(NodeId neighbor) const;
  void begin_flood();
  void serve(size_t port, uint64_t now_ns, RepairOutlet& out);
  void serve_touched(uint64_t now_ns, RepairOutlet& out);
  [[nodiscard]] RepairFrame compose(Port& port, uint64_t now_ns);

  // --- the flood ---
  void join(size_t port, const FloodName& name, const Record& flood);
  void begin_anew(std::vector<NodeId> failed);
  void say_flood();
  void on_record(size_t port, const Record& record);
  void on_flood(size_t port, const Record& flood);
  void on_bits(size_t port, const Record& bits);
  void on_above(size_t port, const Record& above);
  void advance();
  void say_bits();
  void say_above(size_t piece);
  [[nodiscard]] size_t words_in(size_t piece) const;
  [[nodiscard]] std::vector<uint8_t> piece_record(RecordKind kind,
                                                  std::span<const uint32_t> words) const;
  [[nodiscard]] std::vector<uint8_t> subtree(RecordKind kind) const;
  void go();
  void push(size_t port, std::span<const uint8_t> record) override {
    ports_[port].stream.push(record, with().sharing);
    touched_.set(port);
  }

  const congest::Graph& graph_;
  const NodeId self_;
  const RepairSettings& settings_;
  const InstalledGroups* installed_;
  std::vector<Port> ports_;
  congest::Filter touched_;  // ports at which something may be due
  FloodName name_;
  std::vector<NodeId> failed_;  // ascending
  GroupIndex index_;
  Words own_;      // groups with members here
  Words in_tree_;  // or below
  Words above_;
  size_t above_pieces_ = 0;  // that have come
  size_t father_ = kNoPort;
  size_t pieces_ = 0;   // of a bitmap
  size_t said_ = 0;     // of these
  uint32_t nodes_ = 1;  // at and below this switch; of all, from go() on
  // Switches that the flood names and that live, as bits: a link to them has failed.
  uint32_t living_ = 0;
  bool mended_ = false;
  bool going_ = false;
  TreeOptimiser optimiser_;
  uint64_t probe_ns_;
  uint64_t deadline_ns_ = 0;
  uint64_t floods_ = 0;
};

}  // namespace lambdacast::trees
