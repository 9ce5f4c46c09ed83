#include "wire/control/group_message.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::wire {
namespace {

void store_type(GroupMessageType type, uint8_t* out) {
  std::fill_n(out, kGroupHeaderBytes, uint8_t{0});
  out[0] = static_cast<uint8_t>(type);
}

bool load_piece(std::span<const uint8_t> payload, GroupMessage& out) {
  const bool refused = out.type == GroupMessageType::kRefuse;
  if (refused ? payload.size() != kGroupRefuseBytes : payload.size() < kGroupPieceBytes)
    return false;
  const uint8_t* const in = payload.data();
  out.piece = {base::load_be64(in + 8), base::load_be64(in + 16), base::load_be64(in + 24), 0, 0};
  if (refused) return true;
  out.piece.total = base::load_be64(in + 32);
  out.piece.offset = base::load_be64(in + 40);
  out.bytes = payload.subspan(kGroupPieceBytes);
  return out.piece.offset <= out.piece.total &&
         out.bytes.size() <= out.piece.total - out.piece.offset;
}

}  // namespace

bool valid_group_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxGroupNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           const auto byte = static_cast<uint8_t>(c);
           return byte >= 0x20 && byte != 0x7f;
         });
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
      return load_piece(payload, out);
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
  store_type(GroupMessageType::kRefuse, out);
  base::store_be64(out + 8, piece.epoch);
  base::store_be64(out + 16, piece.index);
  base::store_be64(out + 24, piece.whom);
  return kGroupRefuseBytes;
}

size_t store_group_piece(const GroupPiece& piece, std::span<const uint8_t> state, size_t room,
                         uint8_t* out) {
  store_group_refuse(piece, out);
  out[0] = static_cast<uint8_t>(GroupMessageType::kPiece);
  base::store_be64(out + 32, piece.total);
  base::store_be64(out + 40, piece.offset);
  const auto part =
      state.subspan(piece.offset)
          .first(std::min<size_t>(room - kGroupPieceBytes, state.size() - piece.offset));
  if (!part.empty()) std::memcpy(out + kGroupPieceBytes, part.data(), part.size());
  return kGroupPieceBytes + part.size();
}

}  // namespace lambdacast::wire
