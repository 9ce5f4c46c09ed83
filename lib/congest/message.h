// SPDX-License-Identifier: BSD-3-Clause
// Messages between switches: an algorithm's message, and the frame of 64 bytes that carries it
// with what the engine needs beside it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lambdacast::congest {

inline constexpr uint64_t kFrameBits = 64 * 8;
inline constexpr unsigned kMostMessageBytes = 12;

// Three words, of which an algorithm sends as many bytes as its kBytes says.
struct Message {
  std::array<uint32_t, kMostMessageBytes / 4> words{};
  bool operator==(const Message&) const = default;
};

// A switch stores frames of the two classes apart: those of the synchroniser never wait for those
// of the algorithm.
enum class FrameClass : uint8_t { kSynchroniser, kAlgorithm };
inline constexpr size_t kClasses = 2;

enum class Action : uint8_t {
  kAcknowledge,  // nothing but the acknowledgement
  kMessage,      // of the algorithm
  kNothing,      // the algorithm says nothing in this round
  kSync,         // a round begins
  kComplete,     // a switch and all below it have completed the round
  kEnd,          // the run has ended
};

struct Frame {
  FrameClass frame_class = FrameClass::kAlgorithm;
  Action action = Action::kAcknowledge;
  uint8_t sequence = 0;  // of the frame among those of its class and direction
  // By class: the number of the next frame that is expected (link_window.h), or, in an
  // acknowledgement of its own, of the frame that has come (stored_frames.h).
  std::array<uint8_t, kClasses> acknowledged{};
  bool odd_round = false;
  bool changed = false;       // kComplete: somebody sent a message or wants another round
  bool more = false;          // kComplete: somebody wants another phase
  bool begins_phase = false;  // kSync
  Message message{};
};

}  // namespace lambdacast::congest
