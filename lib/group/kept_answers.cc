// SPDX-License-Identifier: BSD-3-Clause
#include "group/kept_answers.h"

#include <memory>
#include <vector>

namespace lambdacast::group {

namespace {

Content owned(const Content& message) {
  if (message.owner() != nullptr) return message;
  const auto copy =
      std::make_shared<const std::vector<uint8_t>>(message.bytes().begin(), message.bytes().end());
  return Content(*copy, copy);
}

}  // namespace

void KeptAnswers::keep(const wire::Envelope& answer, const Content& message) {
  const size_t needs = sizeof(Kept) + message.bytes().size();
  if (needs > most_bytes_) return;
  while (bytes_ + needs > most_bytes_) forget_the_oldest();
  const Name name{answer.caller, answer.handler, answer.number};
  const auto [at, added] = kept_.try_emplace(name);
  if (!added) return;
  at->second = {answer, owned(message)};
  bytes_ += needs;
  order_.push_back(name);
}

void KeptAnswers::forget_the_oldest() {
  const auto oldest = kept_.find(order_.front());
  order_.pop_front();
  if (oldest == kept_.end()) return;
  bytes_ -= bytes_of(oldest->second);
  kept_.erase(oldest);
}

const KeptAnswers::Kept* KeptAnswers::find(const wire::StreamName& caller, uint32_t group,
                                           uint64_t number) const {
  const auto found = kept_.find({caller, group, number});
  return found == kept_.end() ? nullptr : &found->second;
}

void KeptAnswers::forget(const wire::StreamName& caller, uint32_t group, uint64_t floor) {
  auto each = kept_.lower_bound({caller, group, 0});
  while (each != kept_.end() && each->first.caller == caller && each->first.group == group &&
         each->first.number <= floor) {
    bytes_ -= bytes_of(each->second);
    each = kept_.erase(each);
  }
  while (!order_.empty() && !kept_.contains(order_.front())) order_.pop_front();
}

void KeptAnswers::clear() {
  kept_.clear();
  order_.clear();
  bytes_ = 0;
}

}  // namespace lambdacast::group
