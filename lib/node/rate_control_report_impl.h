// SPDX-License-Identifier: BSD-3-Clause
// The report of rate_control_stage.h, for the sources that instantiate a node.
#pragma once

#include "node/rate_control_stage.h"

namespace lambdacast::node {

template <typename Env>
void RateControlStage<Env>::report(RateControlReport& out) const {
  out.packets = packets_;
  out.messages = messages_;
  out.application_bytes = application_bytes_;
  out.control_packets = control_packets_;
  out.pending = pending();
  out.waiting = links_.unreliable.size() + links_.recoverable.size();
  const rate_control::TransmitSequencer& sequencer = half_.builder.sequencer();
  out.first_frame_seq = sequencer.first_frame_seq();
  out.next_frame_seq = sequencer.next_frame_seq();
  out.psn_wraps = sequencer.psn_wraps();
  const reliability::StreamSender& sender = half_.sender;
  out.sender = sender.counters();
  out.retention = {sender.window().last(),       sender.stable(), sender.window().size(),
                   sender.window().bytes(),      sender.rtt_ns(), sender.in_flight(),
                   sender.receivers().admitted()};
  out.limits = share_.limits();
  out.classes = share_.classes();
  out.window.reset();
  if (share_.window() != nullptr) out.window = share_.window()->report();
  out.peers.resize(sender.receivers().max_peers());
  for (size_t i = 0; i < out.peers.size(); ++i)
    out.peers[i] = {sender.receivers().at(i), sender.retained_bytes(i)};
}

}  // namespace lambdacast::node
