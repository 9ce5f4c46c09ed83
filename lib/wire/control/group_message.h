// Messages of the group layer (Kind::kGroup): what endpoints say to one another about who is in
// which group. They have their place in the order, in the domain of the group that the transport
// header names; kDirectoryGroup is the node view itself. All go out totally resilient: a state is
// as of the place of one of them, which must be its place for all, whoever departs. Behind the
// transport header, big-endian:
//
//   0  type 1     1  zero 7
// kRegister, to kDirectoryGroup: this name is to have a number
//   8  the name, to the end of the payload: 1 to 63 bytes
// kJoin, kLeave: the speaker's membership of the group
// kPiece: a part of the state as of one event of the group, for some of those who joined it
//   8  epoch 8    16  index 8 (kViewIndex: the beginning of that view)
//   24  for whom: a bit for each rank of the view 8
//   32  bytes in all 8     40  offset of these 8     48  bytes
// kRefuse: the speaker is to send them that state, and has none: likewise, as far as 32
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lambdacast::wire {

// Named groups have numbers from here on; below, numbers are the operator's.
inline constexpr uint32_t kFirstNamedGroup = 0x80000000;
inline constexpr uint32_t kNamedGroups = 0x7fff0000;
inline constexpr uint32_t kDirectoryGroup = 0xfffffffe;

inline constexpr size_t kMaxGroupNameBytes = 63;
inline constexpr size_t kGroupHeaderBytes = 8;
inline constexpr size_t kGroupRefuseBytes = 32;
inline constexpr size_t kGroupPieceBytes = 48;
inline constexpr uint64_t kViewIndex = ~uint64_t{0};

enum class GroupMessageType : uint8_t { kRegister = 1, kJoin, kLeave, kPiece, kRefuse };

struct GroupPiece {
  uint64_t epoch = 0;
  uint64_t index = 0;
  uint64_t whom = 0;  // ranks
  uint64_t total = 0;
  uint64_t offset = 0;
  bool operator==(const GroupPiece&) const = default;
};

// Of a payload of Kind::kGroup.
struct GroupMessage {
  GroupMessageType type = GroupMessageType::kJoin;
  std::string_view name;           // kRegister
  GroupPiece piece;                // kPiece; kRefuse, without its last two
  std::span<const uint8_t> bytes;  // kPiece
};

// Printable bytes, UTF-8 perhaps, and not too many.
[[nodiscard]] bool valid_group_name(std::string_view name);

// False: no message that there is; `out` is unspecified. What it refers to lives in the payload.
[[nodiscard]] bool load_group_message(std::span<const uint8_t> payload, GroupMessage& out);

// Each returns the bytes written at `out`.
size_t store_group_message(GroupMessageType type, uint8_t* out);  // kJoin, kLeave
size_t store_group_register(std::string_view name, uint8_t* out);
size_t store_group_refuse(const GroupPiece& piece, uint8_t* out);
// The part of `state` at piece.offset that `room` bytes have place for.
size_t store_group_piece(const GroupPiece& piece, std::span<const uint8_t> state, size_t room,
                         uint8_t* out);

}  // namespace lambdacast::wire
