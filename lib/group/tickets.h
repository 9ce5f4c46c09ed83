// SPDX-License-Identifier: BSD-3-Clause
// The requests that this endpoint has been asked by and has not answered yet. Each has a ticket,
// which the application answers by, at any time until its caller has given up.
//
// Not thread-safe. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/control/request.h"

namespace lambdacast::group {

struct Ticket {
  uint64_t id = 0;  // 0: free
  uint64_t deadline_ns = 0;
  wire::Envelope request;
  wire::RequestPlace place;
  uint32_t group = 0;
  bool declines = false;  // the application has nothing to do with it any more

  // The envelope of the answer.
  [[nodiscard]] wire::Envelope answer(wire::AnswerStatus status) const {
    wire::Envelope envelope;
    envelope.type = wire::RequestType::kAnswer;
    envelope.status = status;
    envelope.caller = request.caller;
    envelope.number = request.number;
    envelope.floor = request.floor;
    envelope.session = request.session;
    envelope.handler = group;
    envelope.stamp = place;
    return envelope;
  }
};

class Tickets {
 public:
  explicit Tickets(size_t most) : tickets_(most), free_(most) {
    for (size_t i = 0; i < most; ++i) free_[i] = static_cast<uint32_t>(most - 1 - i);
  }

  [[nodiscard]] size_t open() const { return tickets_.size() - free_.size(); }
  // Null: there is no free one.
  Ticket* take() {
    if (free_.empty()) return nullptr;
    Ticket& ticket = tickets_[free_.back()];
    ticket.id = ++taken_ * tickets_.size() + free_.back();
    free_.pop_back();
    return &ticket;
  }
  // Null: there is no such ticket, or no more.
  [[nodiscard]] Ticket* find(uint64_t id) {
    Ticket& ticket = tickets_[id % tickets_.size()];
    return ticket.id == id && id != 0 ? &ticket : nullptr;
  }
  // Is one open for that request?
  [[nodiscard]] bool is_open(const wire::Envelope& request, uint32_t group) const {
    return std::ranges::any_of(tickets_, [&](const Ticket& each) {
      return each.id != 0 && each.group == group && each.request.number == request.number &&
             each.request.caller == request.caller;
    });
  }
  void give_back(Ticket& ticket) {
    ticket = Ticket{};
    free_.push_back(static_cast<uint32_t>(&ticket - tickets_.data()));
  }
  // visit(Ticket&) may give it back.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (Ticket& ticket : tickets_) {
      if (ticket.id != 0) visit(ticket);
    }
  }

 private:
  std::vector<Ticket> tickets_;
  std::vector<uint32_t> free_;
  uint64_t taken_ = 0;  // so that an old id is not found again
};

}  // namespace lambdacast::group
