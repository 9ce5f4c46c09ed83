// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/reassembly.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/random.h"

namespace lambdacast::ordering {

using counters::DropReason;

namespace {

bool same_message(const Fragment& a, const Fragment& b) {
  return a.message_id == b.message_id && a.peer == b.peer && a.incarnation == b.incarnation;
}

bool agree(const Fragment& a, const Fragment& b) {
  return a.message_bytes == b.message_bytes && a.fragment_bytes == b.fragment_bytes &&
         a.group == b.group && a.qos == b.qos;
}

// Is one of the message's positions among `count` from `first` on? Marks that went out between its
// packets are not thought of: they are lost with their sender, or with much else.
bool spans(const Fragment& about, uint64_t first, uint64_t count) {
  const uint64_t before = about.fragment_offset / about.fragment_bytes;
  const uint64_t begin = about.rel_seq - std::min(before, about.rel_seq);
  const uint64_t end = begin + (about.message_bytes - 1) / about.fragment_bytes + 1;
  return first < end && (first >= begin || begin - first < count);
}

}  // namespace

Reassembly::Reassembly(const ReassemblyConfig& config, std::span<uint8_t> memory)
    : config_(config), arena_(memory), messages_(std::max<uint16_t>(config.max_messages, 1)) {
  for (size_t i = messages_.size(); i > 0; --i) free_.push_back(static_cast<uint16_t>(i - 1));
  slots_.assign(std::bit_ceil(2 * messages_.size()), kNoMessage);
  mask_ = slots_.size() - 1;
}

Reassembly::Outcome Reassembly::accept(const Fragment& fragment, const uint8_t* bytes,
                                       uint64_t now_ns) {
  if (fragment.message_bytes > config_.max_message_bytes) return {DropReason::kMessageTooLong};
  uint16_t number = find(fragment);
  if (number == kNoMessage) {
    if (fragment.qos >= wire::Qos::kSourceOrdered && fragment.fragment_offset != 0)
      return {DropReason::kMessageIncomplete};
    number = open(fragment);
    if (number == kNoMessage) return {DropReason::kReassemblyMemory};
  } else if (!agree(messages_[number].about, fragment)) {
    return {DropReason::kFragmentMismatch};
  }
  Message& message = messages_[number];
  const uint32_t place = fragment.fragment_offset / fragment.fragment_bytes;
  const auto bit = static_cast<uint8_t>(1u << (place % 8));
  if ((message.seen[place / 8] & bit) != 0) return {DropReason::kDuplicate};
  message.seen[place / 8] |= bit;
  std::memcpy(message.memory + fragment.fragment_offset, bytes,
              std::min<uint32_t>(fragment.fragment_bytes,
                                 fragment.message_bytes - fragment.fragment_offset));
  ++counters_.held_fragments;
  if (++message.received == message.fragments) return complete(number);
  move_to(message.ending, number, now_ns);
  return {};
}

void Reassembly::doom(uint16_t peer, uint64_t first, uint64_t count, uint64_t now_ns) {
  doom_list(kRecoverable, now_ns, [=](const Fragment& about) {
    return about.peer == peer && spans(about, first, count);
  });
}

void Reassembly::release(uint16_t number) {
  --outstanding_;
  free(number);
}

uint16_t Reassembly::next_ordered(uint16_t peer, uint16_t from) const {
  for (size_t i = from; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    if (message.seen != nullptr && message.ending == kOrdered && message.about.peer == peer)
      return static_cast<uint16_t>(i);
  }
  return kNoMessage;
}

void Reassembly::free(uint16_t number) {
  Message& message = messages_[number];
  arena_.release(message.memory);
  message.memory = nullptr;
  free_.push_back(number);
}

size_t Reassembly::home(const Fragment& fragment) const {
  const uint64_t key = uint64_t{fragment.message_id} << 16 | fragment.peer;
  return base::mix64(key ^ uint64_t{fragment.incarnation} << 24) & mask_;
}

uint16_t Reassembly::find(const Fragment& fragment) {
  if (last_ != kNoMessage && same_message(messages_[last_].about, fragment)) return last_;
  for (size_t i = home(fragment); slots_[i] != kNoMessage; i = (i + 1) & mask_) {
    if (same_message(messages_[slots_[i]].about, fragment)) return last_ = slots_[i];
  }
  return kNoMessage;
}

uint16_t Reassembly::open(const Fragment& fragment) {
  const uint32_t fragments = (fragment.message_bytes - 1) / fragment.fragment_bytes + 1;
  const size_t seen_bytes = (fragments + 7) / 8;
  for (;;) {
    uint8_t* memory = free_.empty() ? nullptr : arena_.allocate(fragment.message_bytes);
    uint8_t* seen = memory == nullptr ? nullptr : arena_.allocate(seen_bytes);
    if (seen != nullptr) {
      const uint16_t number = free_.back();
      free_.pop_back();
      std::memset(seen, 0, seen_bytes);
      Message& message = messages_[number];
      message = Message{fragment, fragments};
      message.memory = memory;
      message.seen = seen;
      message.ending = ending_of(fragment.qos);
      index(number);
      return last_ = number;
    }
    if (memory != nullptr) arena_.release(memory);
    if (!make_room(fragment)) return kNoMessage;
  }
}

bool Reassembly::make_room(const Fragment& fragment) {
  uint16_t i = lists_[kMortal].oldest;
  while (i != kNoMessage && messages_[i].about.peer != fragment.peer) i = messages_[i].newer;
  if (i == kNoMessage && fragment.qos != wire::Qos::kUnreliable) i = lists_[kMortal].oldest;
  if (i == kNoMessage) return false;
  give_up(i);
  return true;
}

Reassembly::Outcome Reassembly::complete(uint16_t number) {
  Message& message = messages_[number];
  unindex(number);
  unlink(number);
  arena_.release(message.seen);
  message.seen = nullptr;
  counters_.held_fragments -= message.fragments;
  ++counters_.completed_messages;
  ++outstanding_;
  return {DropReason::kNone, number, message.fragments};
}

void Reassembly::give_up(uint16_t number) {
  Message& message = messages_[number];
  unindex(number);
  unlink(number);
  arena_.release(message.seen);
  message.seen = nullptr;
  counters_.held_fragments -= message.received;
  counters_.given_up_fragments += message.received;
  ++counters_.given_up_messages;
  free(number);
}

void Reassembly::index(uint16_t number) {
  size_t i = home(messages_[number].about);
  while (slots_[i] != kNoMessage) i = (i + 1) & mask_;
  slots_[i] = number;
}

// Knuth's algorithm R, as in subscriptions.cc.
void Reassembly::unindex(uint16_t number) {
  if (last_ == number) last_ = kNoMessage;
  size_t hole = home(messages_[number].about);
  while (slots_[hole] != number) hole = (hole + 1) & mask_;
  for (size_t i = (hole + 1) & mask_; slots_[i] != kNoMessage; i = (i + 1) & mask_) {
    const size_t distance_from_home = (i - home(messages_[slots_[i]].about)) & mask_;
    if (distance_from_home < ((i - hole) & mask_)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = kNoMessage;
}

// To the newer end of the list.
void Reassembly::move_to(Ending ending, uint16_t number, uint64_t now_ns) {
  Message& message = messages_[number];
  message.heard_ns = now_ns;
  if (lists_[ending].newest == number) return;
  unlink(number);
  message.ending = ending;
  List& list = lists_[ending];
  message.older = list.newest;
  (list.newest == kNoMessage ? list.oldest : messages_[list.newest].newer) = number;
  list.newest = number;
}

// A message that is in no list yet has no neighbours and is neither end.
void Reassembly::unlink(uint16_t number) {
  Message& message = messages_[number];
  List& list = lists_[message.ending];
  if (list.oldest == number) list.oldest = message.newer;
  if (list.newest == number) list.newest = message.older;
  if (message.older != kNoMessage) messages_[message.older].newer = message.newer;
  if (message.newer != kNoMessage) messages_[message.newer].older = message.older;
  message.older = message.newer = kNoMessage;
}

}  // namespace lambdacast::ordering
