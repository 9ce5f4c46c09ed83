// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lambdacast::wire {
namespace control_test {

using counters::DropReason;
using Bytes = std::vector<uint8_t>;

StreamName stream(uint32_t number) {
  return {gid_from_ipv4(0x0a000000 + number), 0x000100 + number, 0xa0000000 + number};
}

ControlHeader header_of(ControlKind kind, uint16_t entries) {
  return {kind, 0, 0x01020304, 0x00abcdef, entries, 0x1112131415161718, 0};
}

Bytes heartbeat(const Heartbeat& content, const std::vector<VerdictEntry>& verdicts) {
  Bytes out(kHeartbeatBytes + verdicts.size() * kVerdictBytes);
  ControlHeader header = header_of(ControlKind::kHeartbeat, static_cast<uint16_t>(verdicts.size()));
  header.flags = kHeartbeatEnd | kHeartbeatReport;
  store_control_header(header, out.data());
  store_heartbeat(content, out.data());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    store_verdict(verdicts[i], &out[kHeartbeatBytes + i * kVerdictBytes]);
  }
  return out;
}

Bytes status(const std::vector<StatusEntry>& entries) {
  Bytes out(kControlHeaderBytes);
  store_control_header(header_of(ControlKind::kStatus, static_cast<uint16_t>(entries.size())),
                       out.data());
  for (const StatusEntry& entry : entries) {
    const size_t at = out.size();
    out.resize(at + entry.bytes());
    EXPECT_EQ(store_status_entry(entry, &out[at]), entry.bytes());
  }
  return out;
}

Bytes nack(const StreamName& about, uint64_t first, const std::vector<NackRun>& runs) {
  Bytes out(kNackHeaderBytes + runs.size() * kNackRunBytes);
  store_control_header(header_of(ControlKind::kNack, static_cast<uint16_t>(runs.size())),
                       out.data());
  store_nack(about, first, out.data());
  for (size_t i = 0; i < runs.size(); ++i) {
    store_nack_run(runs[i], &out[kNackHeaderBytes + i * kNackRunBytes]);
  }
  return out;
}

Bytes double_of(uint32_t other_incarnation) {
  Bytes out(kDoubleBytes, 0xff);
  store_control_header(header_of(ControlKind::kDouble, 0), out.data());
  store_double(other_incarnation, out.data());
  return out;
}

// With status entries behind its runs.
Bytes nack_and_statuses(Bytes out, const std::vector<StatusEntry>& entries) {
  out[15] = static_cast<uint8_t>(entries.size());
  for (const StatusEntry& entry : entries) {
    const size_t at = out.size();
    out.resize(at + entry.bytes());
    EXPECT_EQ(store_status_entry(entry, &out[at]), entry.bytes());
  }
  return out;
}

StatusEntry entry_of(uint32_t number, uint8_t runs) {
  StatusEntry entry;
  entry.stream = stream(number);
  entry.contiguous = 0x2122232425262728;
  entry.echo_timestamp_ns = 0x3132333435363738;
  entry.echo_delay_ns = 0x41424344;
  entry.room = 0x51525354;
  entry.first_losses = 0x6162636465666768;
  entry.heard_of = 0xa1a2a3a4a5a6a7a8;
  entry.flags = kStatusJoining;
  entry.runs = runs;
  for (uint8_t i = 0; i < runs; ++i) entry.run[i] = {0x8182838485868780u + i, 0x91929390u + i};
  return entry;
}

DropReason verdict(const Bytes& payload) {
  ControlHeader ignored;
  return load_control(payload.data(), payload.size(), ignored);
}

// "0a 000001" and the like: the bytes, spaces left out.
Bytes hex(const std::string& text) {
  Bytes out;
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
               [](char c) { return c != ' ' && c != '\n'; });
  for (size_t i = 0; i < digits.size(); i += 2) {
    out.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return out;
}

TEST(Control, store_a_heartbeat__expect_the_bytes_of_the_protocol) {
  const Bytes expected =
      hex("10 01 03 00 01020304 00abcdef 0001 0000 1112131415161718"
          "0000000000000005 0000000000000009 0000000000000100 0000000000000002"
          "00000000000000000000ffff0a000007 00000107 a0000007 000000000000000a 03 00000000000000");
  const Bytes built = heartbeat({5, 9, 0x100, 2}, {{stream(7), 10, Verdict::kEvictedSilent}});
  EXPECT_EQ(built, expected);
}

TEST(Control, store_a_status__expect_the_bytes_of_the_protocol) {
  const Bytes expected =
      hex("10 02 00 00 01020304 00abcdef 0001 0000 1112131415161718"
          "00000000000000000000ffff0a000007 00000107 a0000007"
          "2122232425262728 3132333435363738 41424344 51525354 6162636465666768"
          "01 02 000000000000 a1a2a3a4a5a6a7a8"
          "8182838485868780 91929390"
          "8182838485868781 91929391");
  EXPECT_EQ(status({entry_of(7, 2)}), expected);
}

TEST(Control, store_a_nack__expect_the_bytes_of_the_protocol) {
  const Bytes expected =
      hex("10 03 00 00 01020304 00abcdef 0002 0000 1112131415161718"
          "00000000000000000000ffff0a000007 00000107 a0000007 00000000000003e8"
          "0000 0001  0009 0203");
  EXPECT_EQ(nack(stream(7), 1'000, {{0, 1}, {9, 0x203}}), expected);
}

TEST(Control, store_a_double__expect_the_bytes_of_the_protocol) {
  const Bytes built = double_of(0x05060708);
  EXPECT_EQ(built, hex("10 08 00 00 01020304 00abcdef 0000 0000 1112131415161718"
                       "05060708 00000000"));
  EXPECT_EQ(load_double(built.data()), 0x05060708u);
}

TEST(Control, store_how_many_statuses_a_nack_has__expect_them_behind_the_entries) {
  ControlHeader header = header_of(ControlKind::kNack, 2);
  header.statuses = 0x0304;
  Bytes out(kControlHeaderBytes);
  store_control_header(header, out.data());
  EXPECT_EQ(out, hex("10 03 00 00 01020304 00abcdef 0002 0304 1112131415161718"));
  EXPECT_EQ(load_control_header(out.data()), header);
}

TEST(Control, stamp__expect_eight_bytes_changed) {
  Bytes payload = nack(stream(7), 1'000, {});
  store_control_timestamp(payload.data(), 0xfffefdfcfbfaf9f8);
  ControlHeader header;
  ASSERT_EQ(load_control(payload.data(), payload.size(), header), DropReason::kNone);
  ControlHeader expected = header_of(ControlKind::kNack, 0);
  expected.timestamp_ns = 0xfffefdfcfbfaf9f8;
  EXPECT_EQ(header, expected);
}

TEST(Control, load_a_heartbeat__expect_what_was_stored) {
  const VerdictEntry verdicts[] = {{stream(7), 10, Verdict::kWelcome},
                                   {stream(8), 3, Verdict::kEvictedLag}};
  const Bytes payload = heartbeat({5, 9, 0x100, 2}, {verdicts[0], verdicts[1]});
  ControlHeader header;
  ASSERT_EQ(load_control(payload.data(), payload.size(), header), DropReason::kNone);
  EXPECT_EQ(header.kind, ControlKind::kHeartbeat);
  EXPECT_EQ(header.flags, kHeartbeatEnd | kHeartbeatReport);
  EXPECT_EQ(load_heartbeat(payload.data()), (Heartbeat{5, 9, 0x100, 2}));
  EXPECT_EQ(load_verdict(payload.data(), 0), verdicts[0]);
  EXPECT_EQ(load_verdict(payload.data(), 1), verdicts[1]);
}

TEST(Control, load_a_status__expect_every_entry_and_each_found_by_its_stream) {
  const Bytes payload = status({entry_of(7, 0), entry_of(8, kMaxLossRuns), entry_of(9, 1)});
  ControlHeader header;
  ASSERT_EQ(load_control(payload.data(), payload.size(), header), DropReason::kNone);
  size_t at = kControlHeaderBytes;
  for (const uint32_t number : {7u, 8u, 9u}) {
    EXPECT_EQ(find_status_entry(payload.data(), header, stream(number)), at);
    const StatusEntry expected = entry_of(number, number == 8 ? kMaxLossRuns : number == 9);
    const StatusEntry entry = load_status_entry(payload.data(), at);
    EXPECT_EQ(entry.stream, expected.stream);
    EXPECT_EQ(entry.contiguous, expected.contiguous);
    EXPECT_EQ(entry.echo_timestamp_ns, expected.echo_timestamp_ns);
    EXPECT_EQ(entry.echo_delay_ns, expected.echo_delay_ns);
    EXPECT_EQ(entry.room, expected.room);
    EXPECT_EQ(entry.first_losses, expected.first_losses);
    EXPECT_EQ(entry.flags, expected.flags);
    ASSERT_EQ(entry.runs, expected.runs);
    for (size_t i = 0; i < entry.runs; ++i) EXPECT_EQ(entry.run[i], expected.run[i]);
  }
  EXPECT_EQ(at, payload.size());
  EXPECT_EQ(find_status_entry(payload.data(), header, stream(10)), 0u);
}

std::vector<std::pair<uint64_t, uint64_t>> runs_of(const Bytes& payload) {
  ControlHeader header;
  EXPECT_EQ(load_control(payload.data(), payload.size(), header), DropReason::kNone);
  std::vector<std::pair<uint64_t, uint64_t>> out;
  for_each_nack_run(payload.data(), header,
                    [&](uint64_t first, uint64_t count) { out.emplace_back(first, count); });
  return out;
}

TEST(Control, load_a_nack__expect_each_run_behind_the_last) {
  const Bytes payload = nack(stream(7), 1'000, {{0, 1}, {9, 0x203}, {1, 1}});
  EXPECT_EQ(load_nack_stream(payload.data()), stream(7));
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {1'000, 1}, {1'010, 0x203}, {1'010 + 0x203 + 1, 1}};
  EXPECT_EQ(runs_of(payload), expected);
}

TEST(Control, load_a_nack_with_statuses__expect_its_runs_and_each_entry_by_its_stream) {
  const Bytes payload =
      nack_and_statuses(nack(stream(7), 1'000, {{0, 1}, {9, 2}}), {entry_of(8, 2), entry_of(7, 0)});
  EXPECT_EQ(runs_of(payload).size(), 2u);
  ControlHeader header;
  ASSERT_EQ(load_control(payload.data(), payload.size(), header), DropReason::kNone);
  size_t at = behind_nack_runs(header);
  EXPECT_EQ(at, kNackHeaderBytes + 2 * kNackRunBytes);
  for (const uint32_t number : {8u, 7u}) {
    EXPECT_EQ(find_status_entry(payload.data(), header, stream(number)), at);
    EXPECT_EQ(load_status_entry(payload.data(), at).stream, stream(number));
  }
  EXPECT_EQ(at, payload.size());
  EXPECT_EQ(find_status_entry(payload.data(), header, stream(9)), 0u);
}

TEST(Control, load_a_nack_near_the_end_of_64_bits__expect_the_runs_before_it) {
  const uint64_t near = ~uint64_t{0} - 10;
  EXPECT_EQ(runs_of(nack(stream(7), near, {{0, 4}, {2, 4}, {1, 1}})).size(), 2u);
  EXPECT_TRUE(runs_of(nack(stream(7), near, {{0xffff, 0xffff}})).empty());
}

TEST(Control, load_each_cut_short_or_with_more__expect_malformed) {
  for (const Bytes& whole :
       {heartbeat({5, 9, 1, 0}, {{stream(7), 10, Verdict::kWelcome}}),
        status({entry_of(7, 2), entry_of(8, 0)}), nack(stream(7), 1'000, {{0, 1}, {9, 2}}),
        double_of(7),
        nack_and_statuses(nack(stream(7), 1'000, {{0, 1}}), {entry_of(7, 2), entry_of(8, 0)})}) {
    ASSERT_EQ(verdict(whole), DropReason::kNone);
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<long>(bytes));
      EXPECT_EQ(verdict(cut), DropReason::kControlMalformed) << bytes;
    }
    Bytes longer = whole;
    longer.push_back(0);
    EXPECT_EQ(verdict(longer), DropReason::kControlMalformed);
  }
}

TEST(Control, load_with_one_field_out_of_range__expect_malformed) {
  struct Case {
    const char* what;
    Bytes payload;
  };
  const auto changed = [](Bytes payload, size_t at, uint8_t to) {
    payload[at] = to;
    return payload;
  };
  const Bytes beat = heartbeat({5, 9, 1, 0}, {{stream(7), 10, Verdict::kWelcome}});
  const size_t verdict_at = kHeartbeatBytes + kStreamNameBytes + 8;
  const size_t runs_at = kControlHeaderBytes + kStreamNameBytes + 33;
  const Case cases[] = {
      {"kind 4", changed(beat, 1, 4)},
      {"data queue pair of 25 bits", changed(beat, 8, 1)},
      {"verdict 0", changed(beat, verdict_at, 0)},
      {"verdict 5", changed(beat, verdict_at, 5)},
      {"retained beyond what was sent", heartbeat({11, 9, 1, 0}, {})},
      {"opens beyond what was sent", heartbeat({5, 9, 1, 0}, {{stream(7), 11}})},
      {"no room for a window behind it", heartbeat({5, kMaxPosition + 1, 1, 0}, {})},
      {"more runs than places", changed(status({entry_of(7, 8)}), runs_at, 9)},
      {"runs beyond the end", changed(status({entry_of(7, 0)}), runs_at, 1)},
      {"a status too many behind a NACK", changed(nack(stream(7), 1, {{0, 1}}), 15, 1)},
      {"entries of a double", changed(double_of(7), 13, 1)},
      {"statuses of a double", changed(double_of(7), 15, 1)},
      {"one too few", changed(nack_and_statuses(nack(stream(7), 1, {}), {entry_of(7, 0)}), 15, 0)},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(verdict(each.payload), DropReason::kControlMalformed) << each.what;
  }
}

// What another release may say is refused in words of its own.
TEST(Control, load_a_version_or_kind_that_is_not_known__expect_that_said) {
  Bytes beat = heartbeat({5, 9, 1, 0}, {});
  for (const uint8_t version : {0, 2, 3, 15}) {
    beat[0] = static_cast<uint8_t>(version << 4);
    EXPECT_EQ(verdict(beat), DropReason::kControlVersion);
  }
  beat[0] = kControlVersion << 4;
  for (const uint8_t kind : {0, 9, 255}) {
    beat[1] = kind;
    EXPECT_EQ(verdict(beat), DropReason::kControlKind);
  }
}

TEST(Control, load_the_extremes__expect_them_accepted) {
  EXPECT_EQ(verdict(heartbeat({10, 9, 1, 0}, {{stream(7), 10}})), DropReason::kNone);
  EXPECT_EQ(verdict(heartbeat({0, kMaxPosition, 1, 0}, {})), DropReason::kNone);
  EXPECT_EQ(verdict(status({})), DropReason::kNone);
  EXPECT_EQ(verdict(nack(stream(7), ~uint64_t{0}, {})), DropReason::kNone);
}

}  // namespace control_test
}  // namespace lambdacast::wire
