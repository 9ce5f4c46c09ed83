// SPDX-License-Identifier: BSD-3-Clause
// Keys of the fabric, the coupler, transceivers and faults: bounds, and where values go.
#include "support.h"

namespace lambdacast::config {
namespace light_keys_test {

std::string fabric_line(const std::string& line) {
  return problems_of(line + "\n" + kMinimal.substr(kMinimal.find('\n') + 1));
}
std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line); }

TEST(LightKeys, values_out_of_range_expect_them_named_with_what_is_allowed) {
  const std::pair<const char*, const char*> bad[] = {
      {"grid = \"75GHz\"", "\"100GHz\" or \"50GHz\""},
      {"line_rate = 999999", "0 or 1000000..1600000000000 bits/s"},
      {"line_rate = 1600000000001", "0 or 1000000..1600000000000 bits/s"},
      {"optical.coupler_ports = 0", "1..1024 ports"},
      {"optical.excess_db = -1", "0..30 dB"},
      {"optical.amplifier_db = 51", "0..50 dB"},
  };
  for (const auto& [line, allowed] : bad) {
    const std::string problem = fabric_line("[fabric]\n" + std::string(line));
    EXPECT_NE(problem.find(std::string("is not allowed; allowed: ") + allowed + "\n"),
              std::string::npos)
        << line << ": " << problem;
  }
  const std::pair<const char*, const char*> bad_of_endpoint[] = {
      {"faults.burst_enter = 0.6", "0..0.5"},
      {"faults.burst_leave = 0", "1e-06..1"},
      {"faults.burst_loss = nan", "0..1"},
      {"faults.delay_ns = 100000001", "0..100000000 ns"},
      {"faults.jitter_ns = -1", "0..100000000 ns"},
      {"faults.rx_rate = 1", "0 or 1000000..1600000000000 bits/s"},
      {"faults.rx_buffer = 16407", "16408..67108864 bytes"},
      {"optical.launch_dbm = 31", "-40..30 dBm"},
      {"optical.sensitivity_dbm = -61", "-60..10 dBm"},
      {"optical.overload_dbm = nan", "-40..30 dBm"},
      {"optical.fiber_km = -1", "0..1000 km"},
      {"optical.fiber_db_per_km = 11", "0..10 dB/km"},
      {"optical.connectors = 101", "0..100 connectors"},
      {"optical.connector_db = 6", "0..5 dB"},
  };
  for (const auto& [line, allowed] : bad_of_endpoint) {
    const std::string problem = endpoint_line(line);
    EXPECT_NE(problem.find(std::string("is not allowed; allowed: ") + allowed + "\n"),
              std::string::npos)
        << line << ": " << problem;
  }
}

TEST(LightKeys, values_expect_them_in_their_members) {
  const Config config = loaded(
      "[fabric]\nname = \"lab\"\ngrid = \"50GHz\"\nline_rate = 100_000_000_000\n"
      "optical = { coupler_ports = 16, excess_db = 2, amplifier_db = 10 }\n"
      "[endpoint_defaults.optical]\nlaunch_dbm = 2\n"
      "[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\"\nwavelength = \"H22\"\n"
      "optical = { fiber_km = 5 }\n"
      "faults = { burst_enter = 0.01, burst_leave = 0.5, burst_loss = 0.9, delay_ns = 5000,"
      " jitter_ns = 7, rx_rate = 10_000_000_000, rx_buffer = 1_000_000 }\n");
  EXPECT_EQ(config.fabric->grid, wdm::Grid::k50GHz);
  EXPECT_EQ(config.fabric->line_rate_bps, 100'000'000'000u);
  EXPECT_EQ(config.fabric->coupler, (wdm::CouplerOptics{16, 2, 10}));
  const Endpoint& endpoint = config.endpoints.at(0);
  EXPECT_EQ(endpoint.wavelength_index, 3u);
  EXPECT_EQ(endpoint.optics.launch_dbm, 2);
  EXPECT_EQ(endpoint.optics.fiber_km, 5);
  const fabric::FaultRates& faults = endpoint.faults;
  EXPECT_TRUE(faults.any());
  EXPECT_EQ(faults.burst_enter, 0.01);
  EXPECT_EQ(faults.burst_leave, 0.5);
  EXPECT_EQ(faults.burst_loss, 0.9);
  EXPECT_EQ(faults.delay_ns, 5000u);
  EXPECT_EQ(faults.jitter_ns, 7u);
  EXPECT_EQ(faults.rx_rate_bps, 10'000'000'000u);
  EXPECT_EQ(faults.rx_buffer_bytes, 1'000'000u);
}

TEST(LightKeys, no_coupler_ports_expect_as_many_as_wavelengths) {
  EXPECT_EQ(loaded(kMinimal).fabric->coupler.ports, 40u);
  EXPECT_EQ(loaded("[fabric]\nwavelengths = 8\n" + kMinimal.substr(9)).fabric->coupler.ports, 8u);
}

}  // namespace light_keys_test
}  // namespace lambdacast::config
