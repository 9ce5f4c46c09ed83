// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/group_message.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/plain_text.h"

namespace lambdacast::wire {
namespace {

void store_type(GroupMessageType type, uint8_t* out) {
  std::fill_n(out, kGroupHeaderBytes, uint8_t{0});
  out[0] = static_cast<uint8_t>(type);
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
      return valid_group_name(out.name);
    case GroupMessageType::kJoin:
    case GroupMessageType::kLeave:
      return body.empty();
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

size_t store_group_message(GroupMessageType type, uint8_t* out) {
  store_type(type, out);
  return kGroupHeaderBytes;
}

size_t store_group_register(std::string_view name, uint8_t* out) {
  store_type(GroupMessageType::kRegister, out);
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
