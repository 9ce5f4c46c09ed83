// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/group_message.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/plain_text.h"

namespace lambdacast::wire {
namespace {

void store_type(GroupMessageType type, uint8_t* out, uint8_t option = 0) {
  std::fill_n(out, kGroupHeaderBytes, uint8_t{0});
  out[0] = static_cast<uint8_t>(type);
  out[1] = option;
}

bool load_lock(std::span<const uint8_t> payload, GroupMessage& out) {
  const bool acquires = out.type == GroupMessageType::kAcquire;
  if (payload.size() != (acquires ? kGroupAcquireBytes : kGroupReleaseBytes)) return false;
  const uint8_t* const in = payload.data();
  out.lock = {};
  out.lock.handler = base::load_be32(in + 8);
  if (acquires) {
    out.lock.only_if_free = in[1] == 1;
    return true;
  }
  out.lock.token = {base::load_be64(in + 16), base::load_be64(in + 24)};
  out.lock.heir = load_stream_name(in + 32);
  return true;
}

bool load_piece(std::span<const uint8_t> payload, size_t words, GroupMessage& out) {
  const bool refused = out.type == GroupMessageType::kRefuse;
  const size_t head = refused ? group_refuse_bytes(words) : group_piece_bytes(words);
  if (refused ? payload.size() != head : payload.size() < head) return false;
  const uint8_t* const in = payload.data();
  out.piece = {
      base::load_be64(in + 8), base::load_be64(in + 16), load_ranks(in + 24, words), 0, 0, words};
  if (refused) return true;
  out.piece.total = base::load_be64(in + head - 16);
  out.piece.offset = base::load_be64(in + head - 8);
  out.bytes = payload.subspan(head);
  return out.piece.offset <= out.piece.total &&
         out.bytes.size() <= out.piece.total - out.piece.offset;
}

// The head of a piece or a refusal: both begin with the same fields.
void store_head(GroupMessageType type, const GroupPiece& piece, uint8_t* out) {
  store_type(type, out);
  base::store_be64(out + 8, piece.epoch);
  base::store_be64(out + 16, piece.index);
  store_ranks(piece.whom, piece.words, out + 24);
}

}  // namespace

bool valid_group_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxGroupNameBytes && base::is_plain_text(name);
}

bool load_group_message(std::span<const uint8_t> payload, GroupMessage& out) {
  if (payload.size() < kGroupHeaderBytes) return false;
  out.type = static_cast<GroupMessageType>(payload[0]);
  const std::span<const uint8_t> body = payload.subspan(kGroupHeaderBytes);
  switch (out.type) {
    case GroupMessageType::kRegister:
      out.name = {reinterpret_cast<const char*>(body.data()), body.size()};
      out.engine = payload[1];
      return out.engine <= kMostEngine && valid_group_name(out.name);
    case GroupMessageType::kJoin:
      out.minimum = payload[1];
      return body.empty();
    case GroupMessageType::kLeave:
      return body.empty();
    case GroupMessageType::kAcquire:
    case GroupMessageType::kRelease:
      return load_lock(payload, out);
    case GroupMessageType::kPiece:
    case GroupMessageType::kRefuse:
      return load_piece(payload, 1, out);
    case GroupMessageType::kWidePiece:
      out.type = GroupMessageType::kPiece;
      return load_piece(payload, 2, out);
    case GroupMessageType::kWideRefuse:
      out.type = GroupMessageType::kRefuse;
      return load_piece(payload, 2, out);
  }
  return false;
}

size_t store_group_join(uint8_t minimum, uint8_t* out) {
  store_type(GroupMessageType::kJoin, out, minimum);
  return kGroupHeaderBytes;
}

size_t store_group_leave(uint8_t* out) {
  store_type(GroupMessageType::kLeave, out);
  return kGroupHeaderBytes;
}

size_t store_group_acquire(const GroupLock& lock, uint8_t* out) {
  store_type(GroupMessageType::kAcquire, out, lock.only_if_free ? 1 : 0);
  base::store_be32(out + 8, lock.handler);
  base::store_be32(out + 12, 0);
  return kGroupAcquireBytes;
}

size_t store_group_release(const GroupLock& lock, uint8_t* out) {
  store_type(GroupMessageType::kRelease, out);
  base::store_be32(out + 8, lock.handler);
  base::store_be32(out + 12, 0);
  base::store_be64(out + 16, lock.token.epoch);
  base::store_be64(out + 24, lock.token.place);
  store_stream_name(lock.heir, out + 32);
  return kGroupReleaseBytes;
}

size_t store_group_register(std::string_view name, uint8_t engine, uint8_t* out) {
  store_type(GroupMessageType::kRegister, out, engine);
  std::memcpy(out + kGroupHeaderBytes, name.data(), name.size());
  return kGroupHeaderBytes + name.size();
}

size_t store_group_refuse(const GroupPiece& piece, uint8_t* out) {
  store_head(piece.words == 1 ? GroupMessageType::kRefuse : GroupMessageType::kWideRefuse, piece,
             out);
  return group_refuse_bytes(piece.words);
}

size_t store_group_piece(const GroupPiece& piece, std::span<const uint8_t> state, size_t room,
                         uint8_t* out) {
  store_head(piece.words == 1 ? GroupMessageType::kPiece : GroupMessageType::kWidePiece, piece,
             out);
  const size_t head = group_piece_bytes(piece.words);
  base::store_be64(out + head - 16, piece.total);
  base::store_be64(out + head - 8, piece.offset);
  const auto part =
      state.subspan(piece.offset).first(std::min<size_t>(room - head, state.size() - piece.offset));
  if (!part.empty()) std::memcpy(out + head, part.data(), part.size());
  return head + part.size();
}

void store_ranks(const base::NodeSet& ranks, size_t words, uint8_t* out) {
  for (size_t i = 0; i < words; ++i) base::store_be64(out + 8 * i, ranks.word(i));
}

base::NodeSet load_ranks(const uint8_t* in, size_t words) {
  base::NodeSet ranks;
  for (size_t i = 0; i < words; ++i) ranks.set_word(i, base::load_be64(in + 8 * i));
  return ranks;
}

}  // namespace lambdacast::wire
