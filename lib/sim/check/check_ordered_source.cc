// SPDX-License-Identifier: BSD-3-Clause
// As check_source.cc, where ordered messages are among those of a sender and group.
#include <algorithm>
#include <map>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// The messages of a sender and group at source ordered and above, in the order published.
struct Line {
  std::vector<uint32_t> publications;
  std::vector<bool> decided;  // at the receiver in question: delivered, or declared lost
  size_t next = 0;            // all before this one have been judged
  size_t last_ordered = 0;    // behind the last ordered one delivered

  void begin_anew() {
    decided.assign(publications.size(), false);
    next = last_ordered = 0;
  }
};

class OrderedSource {
 public:
  explicit OrderedSource(const OrderLog& order)
      : order_(order),
        log_(order.log()),
        list_("Source"),
        number_(log_.publications.size()),
        told_(log_.lives.size()) {
    for (uint32_t i = 0; i < log_.publications.size(); ++i) {
      const Publication& each = log_.publications[i];
      if (each.qos < wire::Qos::kSourceOrdered || each.sent_ns == kNever) continue;
      Line& line = lines_[{each.life, each.group}];
      number_[i] = line.publications.size();
      line.publications.push_back(i);
    }
    for (uint32_t i = 0; i < log_.told.size(); ++i) told_[log_.told[i].receiver].push_back(i);
  }

  Violations run() {
    std::vector<std::vector<uint64_t>> open_at(
        log_.lives.size(), std::vector<uint64_t>(log_.lives.size(), kNever));  // [receiver][sender]
    for (const PairLog& pair : order_.index().pairs()) {
      if (pair.welcomed) open_at[pair.receiver][pair.sender] = pair.open_at;
    }
    for (uint32_t life = 0; life < log_.lives.size(); ++life) {
      if (order_.first_view(life) == kNobody) continue;
      for (auto& [key, line] : lines_) line.begin_anew();
      for (const uint32_t i : told_[life]) take(i, open_at[life]);
    }
    return list_.take();
  }

 private:
  void take(uint32_t i, const std::vector<uint64_t>& open_at) {
    const Told& told = log_.told[i];
    if (told.is_gap() && told.sender < log_.lives.size()) declare(told);
    if (!told.is_message() || told.publication == kNobody) return;
    if (told.qos < wire::Qos::kSourceOrdered) return;
    const Publication& publication = log_.publications[told.publication];
    const auto found = lines_.find({publication.life, publication.group});
    if (found == lines_.end() || publication.qos < wire::Qos::kSourceOrdered) return;
    Line& line = found->second;
    const size_t at = number_[told.publication];
    for (; line.next < at; ++line.next) {
      const uint32_t earlier = line.publications[line.next];
      if (line.decided[line.next] || !owed(i, earlier, open_at[publication.life])) continue;
      list_.add(name(i) + " comes before message " + std::to_string(earlier));
    }
    if (is_ordered(publication.qos)) {
      if (at < line.last_ordered) list_.add(name(i) + " comes behind its successors");
      line.last_ordered = std::max(line.last_ordered, at + 1);
    }
    line.decided[at] = true;
  }

  void declare(const Told& gap) {
    const uint64_t most = order_.index().positions(gap.sender);
    for (uint64_t at = 0; at < std::min(gap.count, most); ++at) {
      const Publication* publication = order_.index().covering(gap.sender, gap.first + at);
      if (publication == nullptr || publication->qos < wire::Qos::kSourceOrdered ||
          publication->sent_ns == kNever) {
        continue;
      }
      const auto number = static_cast<size_t>(publication - log_.publications.data());
      lines_[{publication->life, publication->group}].decided[number_[number]] = true;
    }
  }

  // Had that one to come before what was told?
  [[nodiscard]] bool owed(uint32_t i, uint32_t earlier, uint64_t open_at) const {
    const Told& told = log_.told[i];
    const Publication& publication = log_.publications[earlier];
    if (!is_ordered(publication.qos)) {
      return is_ordered(told.qos) && publication.life != told.receiver &&
             publication.first_rel_seq >= open_at;
    }
    const uint32_t tenure = order_.tenure_at(i);
    if (order_.before_first_view(earlier, told.receiver)) return false;
    return is_ordered(told.qos) ||
           (tenure != kNobody &&
            order_.views()[order_.tenures()[tenure].view].has(publication.life));
  }

  [[nodiscard]] std::string name(uint32_t i) const {
    const Told& told = log_.told[i];
    return order_.index().name(told.receiver) + " at " + std::to_string(told.at_ns) +
           " ns: message " + std::to_string(told.publication) + " of " +
           order_.index().name(told.sender);
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_;
  std::map<std::pair<uint32_t, uint32_t>, Line> lines_;  // by sender and group
  std::vector<size_t> number_;                           // of a publication in its line
  std::vector<std::vector<uint32_t>> told_;              // by receiver
};

}  // namespace

Violations check_ordered_source(const OrderLog& order) { return OrderedSource(order).run(); }

}  // namespace lambdacast::sim
