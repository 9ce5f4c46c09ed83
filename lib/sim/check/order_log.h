// SPDX-License-Identifier: BSD-3-Clause
// The ordered part of the log: views as such (the log has what each life was told of them), and
// what each life delivered in each of them.
//
// A view is followed by another one, in the log's own order of first installations. What a member
// delivered in a view is *firm* if it went on to the next view, or if the level of service of that
// message, or of a later one of its domain, binds those who did. A member that was excluded, or
// died, may have delivered what nobody else holds at totally ordered: agreement is promised among
// those who go on (doc/decisions/0009-levels-are-thresholds.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/check/log_index.h"
#include "sim/multicast/log.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

struct View {
  uint64_t epoch = 0;
  uint64_t round = 0;
  uint32_t coordinator = 0;       // its incarnation
  std::vector<uint32_t> members;  // lives, by rank
  uint64_t first_ns = 0;          // when it was first installed
  uint32_t previous = kNobody;    // that of those who installed it; kNobody: a first view
  uint32_t next = kNobody;        // the first that has this one as its previous
  std::vector<uint32_t> tenures;  // of those who installed it

  [[nodiscard]] bool has(uint32_t life) const;
};

// One life's time in one view.
struct Tenure {
  uint32_t life = 0;
  uint32_t view = 0;
  uint32_t next = kNobody;  // the view that it installed then
  size_t stayed = 0;        // as it was told (InstalledView)
  uint64_t begin_ns = 0;
  uint64_t end_ns = kNever;         // when it installed the next
  std::vector<uint32_t> delivered;  // ordered messages, as indices in Log::told, in order
};

// Where a message has its place. Views are numbered by their first installation.
struct Place {
  uint32_t view = 0;
  uint32_t domain = 0;
  uint64_t index = 0;
  auto operator<=>(const Place&) const = default;
};

class OrderLog {
 public:
  OrderLog(const Scenario& scenario, const Log& log);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] const LogIndex& index() const { return index_; }
  [[nodiscard]] const std::vector<View>& views() const { return views_; }
  [[nodiscard]] const std::vector<Tenure>& tenures() const { return tenures_; }
  // The tenures of a life, in their order, as indices in tenures().
  [[nodiscard]] const std::vector<uint32_t>& tenures_of(uint32_t life) const {
    return by_life_[life];
  }
  // The tenure in which the receiver of an entry of Log::told was told it; kNobody if in no view.
  [[nodiscard]] uint32_t tenure_at(uint32_t told) const { return tenure_at_[told]; }
  // The first view that a life installed; kNobody: none.
  [[nodiscard]] uint32_t first_view(uint32_t life) const;

  // Did that life ever install the view?
  [[nodiscard]] bool came_to(const View& view, uint32_t life) const;
  // Counts the members of `view` that are not in the next one: none if no view followed.
  [[nodiscard]] size_t departed(const View& view) const;
  // More than half of a view's members, or half of them with the tie-breaker.
  [[nodiscard]] bool is_quorum(const View& view, size_t members, bool tie_breaker) const;
  [[nodiscard]] bool breaks_ties(uint32_t life) const {
    return log_.lives[life].node == scenario_.membership.tie_breaker;
  }
  // Was this ordered message delivered firmly?
  [[nodiscard]] bool firm(uint32_t told) const { return firm_[told]; }
  // The epoch of the last view that the life had begun to enter at that time, by its own part in a
  // ballot for it or because it goes on alone: its application may still be in the tenure's.
  [[nodiscard]] uint64_t last_epoch(const Tenure& tenure, uint64_t at_ns) const;
  // The epoch of a view of that life alone, if it began one by that time and its application was
  // never told. Its first word about that view is that it is chosen, for it had nobody to ask, and
  // may come soon after that time. 0: none.
  [[nodiscard]] uint64_t alone_untold(const Tenure& tenure, uint64_t at_ns) const;
  // Was it delivered by the recovery that ends a view? (At the moment of the next one, or since its
  // receiver spoke in a ballot for it: what the application takes later was decided then.)
  [[nodiscard]] bool recovered(uint32_t told) const;
  // The place at which anybody delivered a publication firmly, the first of them.
  [[nodiscard]] std::optional<Place> place(uint32_t publication) const;
  // Does the publication belong to a view before the first one of that life? By its place; that of
  // one that nobody delivered by when it was sent.
  [[nodiscard]] bool before_first_view(uint32_t publication, uint32_t life) const;
  [[nodiscard]] Place place_told(uint32_t told) const;

  [[nodiscard]] std::string name(const View& view) const;

 private:
  using Identity = std::tuple<uint64_t, uint64_t, uint32_t, std::vector<uint32_t>>;
  void find_views();
  void install(uint32_t told);
  void follow();
  void find_firm(const Tenure& tenure);
  [[nodiscard]] bool alone_in(const View& next, const Tenure& tenure) const;
  [[nodiscard]] uint64_t lag_ns(uint32_t life) const;

  const Scenario& scenario_;
  const Log& log_;
  LogIndex index_;
  std::vector<View> views_;
  std::map<Identity, uint32_t> numbers_;
  std::vector<Tenure> tenures_;
  std::vector<std::vector<uint32_t>> by_life_;
  std::vector<uint32_t> tenure_at_;
  std::vector<bool> firm_;
  std::vector<std::optional<Place>> places_;  // by publication
};

}  // namespace lambdacast::sim
