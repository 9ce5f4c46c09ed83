// SPDX-License-Identifier: BSD-3-Clause
// Deliveries, requests and changes of a group and of its locks, kept in their order while this
// endpoint cannot take them: it waits for the state that they follow. Not thread-safe. Allocates as
// they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "group/handler_table.h"
#include "group/handlers.h"
#include "group/members.h"

namespace lambdacast::group {

// A change of the members, in ranks of the node view.
struct Change {
  NodeSet members = {};
  NodeSet joined = {};
  NodeSet departed = {};
  bool suspended = false;
  uint64_t changed = 0;  // the place of the last change in the epoch
};

// A request to a group, whose message has its envelope in front, and what was so at its place.
struct KeptRequest {
  Delivery delivery;
  bool refused = false;   // the group was suspended, or had changed
  uint8_t asked = kGone;  // the rank of the holder that is asked
};

class Kept {
 public:
  void keep(const Delivery& delivery, std::span<const uint8_t> message) {
    Record record{delivery, message.size()};
    std::get<Delivery>(record.what).name = {};
    append(&record, sizeof record);
    append(message.data(), message.size());
  }
  void keep(const KeptRequest& request, std::span<const uint8_t> message) {
    Record record{request, message.size()};
    std::get<KeptRequest>(record.what).delivery.name = {};
    append(&record, sizeof record);
    append(message.data(), message.size());
  }
  void keep(const Change& change) {
    const Record record{change, 0};
    append(&record, sizeof record);
  }
  void keep(const LockChange& change) {
    const Record record{change, 0};
    append(&record, sizeof record);
  }
  [[nodiscard]] size_t bytes() const { return bytes_.size(); }
  [[nodiscard]] static size_t bytes_of(std::span<const uint8_t> message) {
    return sizeof(Record) + message.size();
  }
  [[nodiscard]] static size_t bytes_of(const Change&) { return sizeof(Record); }
  [[nodiscard]] static size_t bytes_of(const LockChange&) { return sizeof(Record); }
  // Gives the memory back.
  void clear() { std::vector<uint8_t>().swap(bytes_); }

  // Calls delivered(const Delivery&, std::span<const uint8_t>), requested(const KeptRequest&,
  // std::span<const uint8_t>), changed(const Change&) or changed(const LockChange&) for each, in
  // their order. Deliveries have lost their names.
  template <typename Delivered, typename Requested, typename Changed>
  void replay(Delivered&& delivered, Requested&& requested, Changed&& changed) const {
    for (size_t at = 0; at < bytes_.size();) {
      Record record{Change{}, 0};
      std::memcpy(static_cast<void*>(&record), bytes_.data() + at, sizeof record);
      at += sizeof record;
      if (const auto* const change = std::get_if<Change>(&record.what)) {
        changed(*change);
      } else if (const auto* const lock = std::get_if<LockChange>(&record.what)) {
        changed(*lock);
      } else {
        const std::span<const uint8_t> message = std::span(bytes_).subspan(at, record.bytes);
        if (const auto* const request = std::get_if<KeptRequest>(&record.what)) {
          requested(*request, message);
        } else {
          delivered(std::get<Delivery>(record.what), message);
        }
      }
      at += record.bytes;
    }
  }

 private:
  struct Record {
    std::variant<Delivery, KeptRequest, Change, LockChange> what;
    size_t bytes = 0;  // of the message behind it
  };
  static_assert(std::is_trivially_copyable_v<Record>);

  void append(const void* from, size_t bytes) {
    const auto* const first = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace lambdacast::group
