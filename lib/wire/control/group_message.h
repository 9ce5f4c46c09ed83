// SPDX-License-Identifier: BSD-3-Clause
// Messages of the group layer (Kind::kGroup): what endpoints tell one another about membership of
// groups. Each has its place in the order, in the domain of the group that the transport header
// names; kDirectoryGroup stands for the node view itself. All go out totally resilient: a state is
// as of the place of one of them, and that place must be the same for all, whoever departs.
// Behind the transport header, big-endian:
//
//   0  type 1     1  zero 7
// kRegister, to kDirectoryGroup: this name is to get a number
//   8  the name, to the end of the payload: 1 to 63 bytes of UTF-8 without controls
// kJoin, kLeave: the speaker joins or leaves the group; nothing follows. Byte 1 of a join is the
//   least number of members with state with which the group goes on: it counts if the group has no
//   member
// kPiece: a part of the state as of one event of the group, for some of those who joined it
//   8  epoch 8    16  index 8 (kViewIndex: the beginning of that view)
//   24  receivers: a bit for each rank of the view 8
//   32  bytes in all 8     40  offset of these 8     48  bytes
// kRefuse: the speaker was to send those receivers that state, and has none. Its fields are those
//   of kPiece up to byte 32, where it ends
// kWidePiece, kWideRefuse: kPiece and kRefuse in a view of more than 64 members. Ranks 64 to 127
//   are a second word at byte 32, and all that follows it stands 8 bytes further on. Nodes that
//   know views of at most 64 members refuse these types by their numbers.
// kAcquire: the speaker asks for a lock of the group. Byte 1 is 1 if it does not wait for it
//   8  handler 4     12  zero 4
// kRelease: the speaker gives back the lock that it holds by that token, or, with a token of zeros,
// it waits for the lock no longer
//   8  handler 4     12  zero 4     16  token: epoch 8     24  place 8
//   32  heir: the name of the next holder 24, zeros for whoever waits longest
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/node_set.h"
#include "lambdacast/names.h"
#include "wire/control/control.h"
#include "wire/control/reserved_groups.h"

namespace lambdacast::wire {

// Named groups have numbers from here on; below, numbers are the operator's.
inline constexpr uint32_t kFirstNamedGroup = 0x80000000;
inline constexpr uint32_t kNamedGroups = 0x7fff0000;

using lambdacast::kMaxGroupNameBytes;
inline constexpr size_t kGroupHeaderBytes = 8;
inline constexpr size_t kGroupAcquireBytes = kGroupHeaderBytes + 8;
inline constexpr size_t kGroupReleaseBytes = kGroupAcquireBytes + 16 + kStreamNameBytes;
inline constexpr uint64_t kViewIndex = ~uint64_t{0};

// Words of 8 bytes that a set of ranks takes in a group message of a view of `members`.
[[nodiscard]] constexpr size_t rank_words(size_t members) { return members > 64 ? 2 : 1; }
[[nodiscard]] constexpr size_t group_refuse_bytes(size_t words) {
  return kGroupHeaderBytes + 16 + 8 * words;
}
// Without the bytes of the state.
[[nodiscard]] constexpr size_t group_piece_bytes(size_t words) {
  return group_refuse_bytes(words) + 16;
}

enum class GroupMessageType : uint8_t {
  kRegister = 1,
  kJoin,
  kLeave,
  kPiece,
  kRefuse,
  kWidePiece,
  kWideRefuse,
  kAcquire,
  kRelease
};

inline constexpr uint8_t kMostEngine = 2;

struct GroupPiece {
  uint64_t epoch = 0;
  uint64_t index = 0;
  base::NodeSet whom;  // ranks of the receivers
  uint64_t total = 0;
  uint64_t offset = 0;
  size_t words = 1;  // of `whom` in the message, as rank_words() says
  bool operator==(const GroupPiece&) const = default;
};

// The place of a grant: (epoch, index + 1) of the message that it follows from, or (epoch, 0) of
// the beginning of a view. Those of a lock rise.
struct GrantPlace {
  uint64_t epoch = 0;
  uint64_t place = 0;
  auto operator<=>(const GrantPlace&) const = default;
};

// A lock of a group, and what is asked about it.
struct GroupLock {
  uint32_t handler = 0;
  bool only_if_free = false;  // kAcquire
  GrantPlace token;           // kRelease; zeros: the speaker waits no longer
  StreamName heir;            // kRelease; zeros: nobody
  bool operator==(const GroupLock&) const = default;
};

// The fields of a payload of Kind::kGroup.
struct GroupMessage {
  GroupMessageType type = GroupMessageType::kJoin;  // never a wide one: piece.words tells
  std::string_view name;                            // kRegister
  uint8_t engine = 0;                               // kRegister: lambdacast::Engine, a wish
  GroupPiece piece;                                 // kPiece; kRefuse, without total and offset
  std::span<const uint8_t> bytes;                   // kPiece
  uint8_t minimum = 0;                              // kJoin
  GroupLock lock;                                   // kAcquire, kRelease
};

// Are these 1 to kMaxGroupNameBytes bytes of plain text (base/plain_text.h)?
[[nodiscard]] bool valid_group_name(std::string_view name);

// Returns false if the payload is no message of these types, and leaves `out` unspecified then.
// `out` refers to bytes of the payload.
[[nodiscard]] bool load_group_message(std::span<const uint8_t> payload, GroupMessage& out);

// Each returns the bytes written at `out`.
size_t store_group_join(uint8_t minimum, uint8_t* out);
size_t store_group_leave(uint8_t* out);
size_t store_group_acquire(const GroupLock& lock, uint8_t* out);
size_t store_group_release(const GroupLock& lock, uint8_t* out);
size_t store_group_register(std::string_view name, uint8_t engine, uint8_t* out);
size_t store_group_refuse(const GroupPiece& piece, uint8_t* out);
// Writes as much of `state` from piece.offset on as `room` bytes have place for.
size_t store_group_piece(const GroupPiece& piece, std::span<const uint8_t> state, size_t room,
                         uint8_t* out);

// A set of ranks in so many words, big-endian.
void store_ranks(const base::NodeSet& ranks, size_t words, uint8_t* out);
[[nodiscard]] base::NodeSet load_ranks(const uint8_t* in, size_t words);

}  // namespace lambdacast::wire
