// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: messages of rate control, any bytes among them, in one order to the RateShares
// of several members, each as far behind as it likes. What is read is in range and is written as it
// was read; what is refused is counted and changes nothing; whoever has seen the same event has the
// same shares, and they fit the rooms; what members send at, and what they had taken before a fall
// and not handed to their ports, never adds up to more than the room of one who hears them.
//
// The input: one byte of choice, then of each event a byte of kind and one of choice, and what
// event() reads.
#include "fuzz_input.h"
#include "rate_trial.h"

namespace {

using namespace lambdacast;
using test::Bytes;
using test::FuzzInput;
using test::RateTrial;

constexpr size_t kMaxEvents = 400;

// Mostly so near to each other that one is in another's way.
uint64_t rate(FuzzInput& in) {
  const uint8_t value = in.byte();
  return value == 255 ? wire::kMostBps : value * wire::kLeastBps;
}

Bytes announcement(const RateTrial& trial, FuzzInput& in) {
  Bytes out(wire::kAnnounceBytes);
  wire::store_rate_announcement({rate(in),
                                 rate(in),
                                 rate(in),
                                 rate(in),
                                 rate(in),
                                 rate(in),
                                 {trial.epoch() - (in.byte() & 1), in.byte()}},
                                out.data());
  return out;
}

void event(RateTrial& trial, FuzzInput& in) {
  const uint8_t kind = in.byte();
  const uint8_t choice = in.byte();
  switch (kind % 14) {
    case 0: {
      Bytes payload = in.bytes(in.byte() % 100);
      if ((choice & 128) != 0 && payload.size() > 8) std::fill_n(payload.begin() + 1, 7, 0);
      return trial.say(choice & 127, payload);
    }
    case 1:
      return trial.say(choice, announcement(trial, in));
    case 2:
      return trial.ghosts_say(announcement(trial, in));
    case 3: {
      Bytes out(wire::kReserveBytes);
      wire::store_rate_reserve({rate(in), {trial.epoch(), in.byte()}}, out.data());
      return trial.say(choice, out);
    }
    case 4:
      return trial.speak(choice);
    case 5:
      return trial.mark(choice & 3);
    case 6:
    case 7:
      return trial.go_on(choice, 1 + choice / 8);
    case 8:
      return trial.acknowledge(choice);
    case 9:
      return trial.hear_acknowledgements(choice);
    case 10:
      return trial.hand_to_port(choice);
    case 11:
      return trial.pass(uint64_t{1} << (choice & 31), (choice & 32) != 0, (choice & 64) != 0);
    case 12:
      if ((choice & 8) != 0) return trial.use(choice, size_t{in.byte()} << 8, (choice & 16) != 0);
      return trial.set(choice & 7, in.byte(), rate(in));
    default:
      return trial.change_view(choice);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  FuzzInput in(data, bytes);
  RateTrial trial(in.byte());
  for (size_t events = 0; events < kMaxEvents && !in.empty(); ++events) {
    event(trial, in);
    trial.check();
  }
  return 0;
}
