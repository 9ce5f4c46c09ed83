// SPDX-License-Identifier: BSD-3-Clause
// The interface of the endpoint that carries the messages of groups.
#pragma once

#include <cstdint>
#include <span>

#include "group/handlers.h"

namespace lambdacast::group {

// The level of the group layer's own messages. A state is as of the place of an event of its group,
// and nobody may come to find that event elsewhere.
inline constexpr wire::Qos kGroupQos = wire::Qos::kTotallyResilient;

// The endpoint as calls from outside the view use it.
class AnswerCarrier {
 public:
  virtual ~AnswerCarrier() = default;
  // A message of the request layer, reliably: an envelope, which is copied, and what the
  // application wrote behind it. One of several packets holds up others of this kind alone.
  virtual Result answer(std::span<const uint8_t> envelope, const Content& message,
                        uint32_t group) = 0;
};

// The endpoint as the group layer uses it: it sends the layer's messages and subscribes to those of
// its groups.
class Carrier : public AnswerCarrier {
 public:
  // A message of the group layer itself (Kind::kGroup), in a packet of its own. It is copied.
  // False: not now.
  virtual bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) = 0;
  // A message of the application, which is copied.
  virtual Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) = 0;
  // A message of the request layer at any level.
  virtual Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                         uint32_t group, wire::Qos qos) = 0;
  // False: no room for another subscription.
  virtual bool subscribe(uint32_t group) = 0;
  virtual void unsubscribe(uint32_t group) = 0;
  // The number of recoverable publications up to the last one accepted, and the number of them that
  // are stable.
  virtual uint64_t published() const = 0;
  virtual uint64_t stable() const = 0;
  // The epoch of the view in which this endpoint is operational. 0: of none, because it is out, or
  // a ballot for the next view is under way.
  virtual uint64_t operational() const = 0;
};

}  // namespace lambdacast::group
