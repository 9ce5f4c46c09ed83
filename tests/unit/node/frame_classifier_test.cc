// SPDX-License-Identifier: BSD-3-Clause
#include "node/frame_classifier.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "base/random.h"
#include "frame_classifier_fixture.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

TEST_P(FrameClassifierTest, receive_a_multicast_message__expect_every_field_of_packet_info) {
  FrameBuilder transmitter({sender_, 0xabcdef123456});
  const auto content = counting_bytes(33);
  const auto frame = transmit(transmitter, content, 9, wire::Qos::kReliable, 4000);
  ASSERT_EQ(receive(frame), DropReason::kNone);
  EXPECT_EQ(info_.frame_seq, 0xabcdef123456u);
  EXPECT_EQ(info_.rel_seq, 1u);
  EXPECT_EQ(info_.timestamp_ns, 4000u);
  EXPECT_EQ(info_.received_ns, 5000u);
  EXPECT_EQ(info_.group, 9u);
  EXPECT_EQ(info_.incarnation, sender_.incarnation);
  EXPECT_EQ(info_.fragment_offset, 0u);
  EXPECT_EQ(info_.message_bytes, 33u);
  EXPECT_EQ(info_.psn, 0x123456u);
  EXPECT_EQ(info_.peer, 0u);
  EXPECT_EQ(info_.payload_bytes, 33u);
  EXPECT_EQ(info_.payload_offset, transmitter.payload_offset());
  EXPECT_EQ(info_.kind, wire::Kind::kData);
  EXPECT_EQ(info_.qos, wire::Qos::kReliable);
  EXPECT_EQ(info_.flags, 0u);
  EXPECT_TRUE(std::equal(content.begin(), content.end(), frame.begin() + info_.payload_offset));
  EXPECT_EQ(core_.peers().at(0).gid, sender_.gid);
  EXPECT_EQ(core_.peers().at(0).first_seen_ns, 5000u);
}

TEST_P(FrameClassifierTest, receive_unicast_to_our_data_queue_pair__expect_accepted) {
  EXPECT_EQ(receive(with_fields([this](auto& fields) {
              fields.destination_gid = identity_.gid;
              fields.destination_qpn = identity_.data_qpn;
            })),
            DropReason::kNone);
}

// Each differs from an accepted frame by one field only.
TEST_P(FrameClassifierTest, receive_with_one_address_field_wrong__expect_its_reason) {
  struct Case {
    DropReason reason;
    std::function<void(wire::FrameFields&)> spoil;
  };
  const Case cases[] = {
      {DropReason::kNone, [](auto&) {}},
      {DropReason::kWrongDestinationGid, [](auto& f) { f.destination_gid.bytes[15] ^= 0x40; }},
      {DropReason::kMulticastQpn, [this](auto& f) { f.destination_qpn = identity_.data_qpn; }},
      {DropReason::kMulticastQpn, [this](auto& f) { f.destination_gid = identity_.gid; }},
      {DropReason::kUnknownQpn,
       [this](auto& f) {
         f.destination_gid = identity_.gid;
         f.destination_qpn = identity_.control_qpn;
       }},
      {DropReason::kPkeyMismatch, [](auto& f) { f.pkey = 0xfffe; }},
      {DropReason::kNone, [](auto& f) { f.pkey = 0x7fff; }},  // we are the full member
      {DropReason::kQkeyMismatch, [](auto& f) { f.qkey ^= 1; }},
      {DropReason::kOwnFrame, [this](auto& f) { f.source_gid = identity_.gid; }},
      {DropReason::kNone,
       [this](auto& f) {  // another process of this host: same GID, other queue pair
         f.source_gid = identity_.gid;
         f.source_qpn = 0x99;
       }},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(receive(with_fields(cases[i].spoil)), cases[i].reason) << "case " << i;
  }
}

TEST_P(FrameClassifierTest, receive_with_the_message_length_wrong__expect_transport_fragment) {
  EXPECT_EQ(receive(with_header([](auto& h) { h.message_bytes = 21; })),
            DropReason::kTransportFragment);
  EXPECT_EQ(receive(with_header([](auto& h) { h.message_bytes = 19; })),
            DropReason::kTransportFragment);
  EXPECT_EQ(receive(with_header([](auto& h) {
              h.fragment_offset = 1;
              h.message_bytes = 21;
            })),
            DropReason::kTransportFragment);
  EXPECT_EQ(receive(with_header([](auto& h) { h.message_bytes = 20; })), DropReason::kNone);
}

TEST_P(FrameClassifierTest, receive_with_an_unknown_transport_header__expect_its_reason) {
  auto frame = build([](auto&) {}, [](auto& h) { h.kind = static_cast<wire::Kind>(200); });
  EXPECT_EQ(receive(frame), DropReason::kTransportKind);
}

TEST_P(FrameClassifierTest, receive_over_the_path_mtu__expect_payload_too_long) {
  const size_t longest = identity_.path_mtu - wire::kTransportHeaderBytes;
  EXPECT_EQ(receive(build([](auto&) {}, [](auto&) {}, longest)), DropReason::kNone);
  EXPECT_EQ(receive(build([](auto&) {}, [](auto&) {}, longest + 1)), DropReason::kPayloadTooLong);
}

TEST_P(FrameClassifierTest, receive_any_payload_bit_flipped__expect_bad_icrc) {
  const auto good = with_fields([](auto&) {});
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(good.data(), good.size(), view), DropReason::kNone);
  for (size_t bit = size_t{view.payload_offset} * 8; bit < good.size() * 8; ++bit) {
    auto frame = good;
    frame[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    ASSERT_EQ(receive(frame), DropReason::kBadIcrc) << "bit " << bit;
  }
  EXPECT_EQ(core_.peers().size(), 0u);  // no damaged frame takes a place in the table
}

TEST_P(FrameClassifierTest, receive_a_damaged_address__expect_bad_icrc_not_somebody_elses) {
  auto frame = with_fields([](auto&) {});
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  frame[view.bth_offset + 12] ^= 1;  // Q_Key
  EXPECT_EQ(receive(frame), DropReason::kBadIcrc);
  // Sensitivity: without the check it is another reason.
  FrameClassifier trusting({identity_, 2, wire::IcrcMode::kGenerate});
  EXPECT_EQ(trusting.receive(frame.data(), frame.size(), 0, info_), DropReason::kQkeyMismatch);
}

TEST_P(FrameClassifierTest, receive_cut_short_anywhere__expect_refusal_and_no_read_beyond) {
  const auto good = with_fields([](auto&) {});
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    const std::vector<uint8_t> frame(good.begin(), good.begin() + static_cast<long>(bytes));
    EXPECT_NE(receive(frame), DropReason::kNone) << bytes;
  }
}

TEST_P(FrameClassifierTest, receive_of_another_vlan__expect_wrong_vlan) {
  const auto tagged = [this](uint16_t tci) {
    return with_fields([tci](auto& f) {
      f.has_vlan = true;
      f.vlan_tci = tci;
    });
  };
  EXPECT_EQ(receive(tagged(77)), DropReason::kWrongVlan);
  EXPECT_EQ(receive(tagged(0xe000)), DropReason::kNone);  // a priority is no VLAN
  FrameClassifierConfig config;
  config.identity = identity_;
  config.identity.vlan_tci = 77;
  FrameClassifier in_vlan(config);
  const auto outcome = [&](const std::vector<uint8_t>& frame) {
    PacketInfo info;
    return in_vlan.receive(frame.data(), frame.size(), 1, info);
  };
  EXPECT_EQ(outcome(tagged(77)), DropReason::kNone);
  EXPECT_EQ(outcome(tagged(0x6000 | 77)), DropReason::kNone);
  EXPECT_EQ(outcome(tagged(78)), DropReason::kWrongVlan);
  EXPECT_EQ(outcome(with_fields([](auto&) {})), DropReason::kWrongVlan);
}

// Every kind of frame there is, in any order and burst: the outcomes, what is known of the frames
// and the peers learnt are those of one by one.
TEST_P(FrameClassifierTest, receive_burst__expect_what_receive_says_one_by_one) {
  std::vector<std::vector<uint8_t>> kinds = {
      with_fields([](auto&) {}),
      with_fields([](auto& f) { f.psn = 77; }),
      with_fields([](auto& f) { f.source_qpn = 0x21; }),
      with_fields([](auto& f) { f.source_qpn = 0x22; }),  // one peer more than there are places
      with_fields([](auto& f) { f.has_vlan = true; }),
      with_fields([](auto& f) { f.qkey ^= 1; }),
      with_fields([this](auto& f) { f.source_gid = identity_.gid; }),
      with_fields([this](auto& f) {
        f.destination_gid = identity_.gid;
        f.destination_qpn = identity_.data_qpn;
      }),
      with_header([](auto& h) { h.message_bytes = 21; }),
      build([](auto&) {}, [](auto&) {}, identity_.path_mtu),
      {0x01, 0x02},
  };
  kinds.push_back(kinds[0]);
  kinds.back().back() ^= 1;  // ICRC
  kinds.push_back(kinds[0]);
  kinds.back()[16] ^= 1;  // IPv4 total length, IPv6 flow label
  base::SplitMix64 random(5);
  for (const size_t count : {1, 2, 31, 32, 33, 64, 200}) {
    FrameClassifier by_burst({identity_, 2}), by_one({identity_, 2});
    std::vector<PacketInfo> infos(count), expected(count);
    std::vector<ReceivedFrame> burst;
    for (size_t i = 0; i < count; ++i) {
      const auto& frame = kinds[random.below(kinds.size())];
      burst.push_back({frame.data(), frame.size(), &infos[i], DropReason::kNone});
    }
    by_burst.receive_burst(burst, 5000);
    for (size_t i = 0; i < count; ++i) {
      const auto reason = by_one.receive(burst[i].frame, burst[i].bytes, 5000, expected[i]);
      ASSERT_EQ(burst[i].outcome, reason) << i << " of " << count;
      if (reason != DropReason::kNone) continue;
      EXPECT_EQ(std::memcmp(&infos[i], &expected[i], 64), 0) << i << " of " << count;
    }
    EXPECT_EQ(by_burst.peers().size(), by_one.peers().size());
  }
}

TEST_P(FrameClassifierTest, receive_from_more_senders_than_places__expect_peer_table_full) {
  const auto from = [this](uint32_t qpn) {
    return with_fields([qpn](auto& fields) { fields.source_qpn = qpn; });
  };
  EXPECT_EQ(receive(from(0x20)), DropReason::kNone);
  EXPECT_EQ(receive(from(0x21)), DropReason::kNone);
  EXPECT_EQ(receive(from(0x22)), DropReason::kPeerTableFull);
  EXPECT_EQ(receive(from(0x20)), DropReason::kNone);
  EXPECT_EQ(info_.peer, 0u);
}

TEST_P(FrameClassifierTest, receive_a_fragment__expect_its_place_and_message_in_packet_info) {
  const auto frame = with_header([](wire::TransportHeader& h) {
    h.kind = wire::Kind::kFragment;
    h.fragment_offset = 40;
    h.message_bytes = 60;
    h.message_id = 0x01020304;
    h.fragment_bytes = 20;
  });
  ASSERT_EQ(receive(frame), DropReason::kNone);
  EXPECT_EQ(info_.kind, wire::Kind::kFragment);
  EXPECT_EQ(info_.fragment_offset, 40u);
  EXPECT_EQ(info_.message_bytes, 60u);
  EXPECT_EQ(info_.message_id, 0x01020304u);
  EXPECT_EQ(info_.fragment_bytes, 20u);
  EXPECT_EQ(info_.message, nullptr);
  EXPECT_EQ(info_.payload_bytes, 20u);
}

// The content is zeros: 10 messages of no bytes at all.
TEST_P(FrameClassifierTest, receive_a_shared_packet__expect_its_messages_counted) {
  const auto with_messages = [&](uint32_t messages) {
    return with_header([=](wire::TransportHeader& h) {
      h.kind = wire::Kind::kMessages;
      h.fragment_offset = messages;
    });
  };
  ASSERT_EQ(receive(with_messages(10)), DropReason::kNone);
  EXPECT_EQ(info_.kind, wire::Kind::kMessages);
  EXPECT_EQ(messages_begun(info_), 10u);
  EXPECT_EQ(application_bytes(info_), 0u);
  EXPECT_EQ(receive(with_messages(9)), DropReason::kTransportMessages);
  EXPECT_EQ(receive(with_messages(11)), DropReason::kTransportMessages);
}

INSTANTIATE_TEST_SUITE_P(families, FrameClassifierTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lambdacast::node
