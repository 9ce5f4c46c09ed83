// SPDX-License-Identifier: BSD-3-Clause
// Device arguments, as a probe meets them: the sentence that is logged.
#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::odbss {
namespace {

const std::string kSmall = ",wavelengths=2,slots=64,frame_bytes=1522";

TEST(Devargs, each_key_with_a_bad_value_expect_the_probe_to_fail_with_its_sentence) {
  const std::string wavelength =
      "C21 to C60, H21 to H60 on the 50GHz grid, an index from 0 to 79, or none";
  const std::string select =
      "all, or wavelengths (C21 to C60, H21 to H60 or 0 to 79) separated by ':', none twice";
  const std::string name = "1 to 32 letters, digits, '_', '.' or '-'";
  const std::string probability = "a probability from 0 to 1";
  const std::string rate = "0, or 1000000 to 1600000000000 bit/s";
  const std::tuple<const char*, const char*, std::string> cases[] = {
      {"fabric", "a/b", name},
      {"wavelength", "C20", wavelength},
      {"wavelength", "C61", wavelength},
      {"wavelength", "c21", wavelength},
      {"wavelength", "80", wavelength},
      {"wavelength", "-1", wavelength},
      {"wavelength", "1x", wavelength},
      {"select", "C21:C99", select},
      {"select", "C21:", select},
      {"select", "0:1:0", select},
      {"select", "C21:0", select},
      {"wavelength", "H61", wavelength},
      {"grid", "50", "100GHz or 50GHz"},
      {"grid", "25GHz", "100GHz or 50GHz"},
      {"loopback", "2", "0 or 1"},
      {"loopback", "yes", "0 or 1"},
      {"rx_queues", "two", "one or wavelength"},
      {"mac", "02:00:00:00:00", "a unicast address such as 02:00:00:00:00:01"},
      {"mac", "01:00:00:00:00:01", "a unicast address such as 02:00:00:00:00:01"},
      {"mac", "00:00:00:00:00:00", "a unicast address such as 02:00:00:00:00:01"},
      {"wavelengths", "many", "1 to 80"},
      {"wavelengths", "0", "1 to 80"},
      {"wavelengths", "81", "1 to 80"},
      {"slots", "65", "a power of two from 64 to 1048576"},
      {"slots", "1e3", "a power of two from 64 to 1048576"},
      {"slots", "32", "a power of two from 64 to 1048576"},
      {"frame_bytes", "63", "64 to 16384 bytes"},
      {"frame_bytes", "16385", "64 to 16384 bytes"},
      {"frame_bytes", "0x600", "64 to 16384 bytes"},
      {"loss", "1.5", probability},
      {"loss", "-0.1", probability},
      {"loss", "nan", probability},
      {"loss", "half", probability},
      {"corrupt", "2", probability},
      {"duplicate", "0.1%", probability},
      {"burst_enter", "0.6", "a probability from 0 to 0.5"},
      {"burst_leave", "0", "a probability from 1e-6 to 1"},
      {"burst_leave", "nan", "a probability from 1e-6 to 1"},
      {"burst_loss", "-1", probability},
      {"delay_ns", "100000001", "0 to 100000000 ns"},
      {"delay_ns", "1us", "0 to 100000000 ns"},
      {"jitter_ns", "-1", "0 to 100000000 ns"},
      {"line_rate", "999999", rate},
      {"line_rate", "1600000000001", rate},
      {"line_rate", "10G", rate},
      {"rx_rate", "1", rate},
      {"rx_buffer", "16407", "16408 to 67108864 bytes"},
      {"rx_buffer", "67108865", "16408 to 67108864 bytes"},
      {"seed", "-1", "a whole number below 2^64"},
      {"seed", "18446744073709551616", "a whole number below 2^64"},
  };
  for (const auto& [key, value, allowed] : cases) {
    std::string devargs = std::string(key) + "=" + value;
    if (std::string(key) != "wavelength") devargs += ",wavelength=0";
    if (std::string(key) != "fabric") devargs += ",fabric=" + test::fresh_fabric();
    EXPECT_EQ(test::probe_error(devargs),
              std::string(key) + "=" + value + " is not allowed; allowed: " + allowed);
  }
}

TEST(Devargs, good_values_of_every_key_expect_a_port) {
  EXPECT_EQ(test::probe_error("fabric=" + test::fresh_fabric() + kSmall +
                              ",wavelength=C22,select=0:C22,loopback=1,rx_queues=wavelength,"
                              "mac=02:00:00:00:00:07,loss=0.5,corrupt=1e-3,duplicate=1,"
                              "burst_enter=0.5,burst_leave=1e-6,burst_loss=0,delay_ns=100000000,"
                              "jitter_ns=0,line_rate=1000000,rx_rate=1600000000000,rx_buffer=16408,"
                              "seed=18446744073709551615"),
            "");
  EXPECT_EQ(
      test::probe_error("fabric=" + test::fresh_fabric() + kSmall + ",wavelength=none,select=all"),
      "");
}

TEST(Devargs, names_expect_the_index_on_the_grid_of_the_fabric) {
  const std::string wide = "fabric=" + test::fresh_fabric() + ",slots=64,frame_bytes=1522";
  const std::string narrow = "fabric=" + test::fresh_fabric() + ",slots=64,frame_bytes=1522";
  const test::Port on_100(wide + ",grid=100GHz,wavelength=C34");
  const test::Port on_50(narrow + ",grid=50GHz,wavelength=C34");
  EXPECT_EQ(on_100.mac().addr_bytes[5], 13);
  EXPECT_EQ(on_50.mac().addr_bytes[5], 26);
  // Without a grid of its own a port has the fabric's.
  const test::Port half(narrow + ",wavelength=H34");
  EXPECT_EQ(half.mac().addr_bytes[5], 27);
  EXPECT_EQ(test::probe_error(wide + ",wavelength=H34"),
            "wavelength=H34: it is not on the fabric's grid, 100GHz; use C21 to C60, or a fabric "
            "with grid=50GHz");
  EXPECT_EQ(test::probe_error(wide + ",wavelength=C35,select=C34:H34"),
            "select=H34: it is not on the fabric's grid, 100GHz; use C21 to C60, or a fabric with "
            "grid=50GHz");
  EXPECT_EQ(test::probe_error(narrow + ",wavelength=C34"),
            "wavelength=C34: wavelength 26 of fabric " + narrow.substr(7, narrow.find(',') - 7) +
                " already has a transmitter: this process; choose another wavelength or end it");
}

TEST(Devargs, another_grid_than_the_fabrics_expect_error_naming_both) {
  const std::string name = test::fresh_fabric();
  const test::Port first("fabric=" + name + kSmall + ",grid=50GHz,wavelength=C21");
  EXPECT_EQ(test::probe_error("fabric=" + name + ",grid=100GHz,wavelength=C22"),
            "fabric " + name +
                " has grid=50GHz, this port asks for grid=100GHz; use the same "
                "value or another fabric name");
}

TEST(Devargs, no_wavelength_expect_error) {
  EXPECT_EQ(test::probe_error("fabric=x"),
            "wavelength is missing; allowed: C21 to C60, H21 to H60 on the 50GHz grid, an index "
            "from 0 to 79, or none");
  EXPECT_EQ(test::probe_error(""),
            "wavelength is missing; allowed: C21 to C60, H21 to H60 on the 50GHz grid, an index "
            "from 0 to 79, or none");
}

TEST(Devargs, unknown_key_expect_error_with_the_known_ones) {
  const std::string error = test::probe_error("wavelength=0,colour=red");
  EXPECT_EQ(error.find("cannot read device arguments \"wavelength=0,colour=red\"; known: fabric="),
            0u)
      << error;
}

TEST(Devargs, key_twice_expect_error) {
  EXPECT_EQ(test::probe_error("wavelength=0,wavelength=1"),
            "wavelength is given twice; allowed: once");
}

TEST(Devargs, mac_expect_it_on_the_port_else_one_of_fabric_and_wavelength) {
  const std::string fabric = "fabric=" + test::fresh_fabric() + kSmall;
  const test::Port given(fabric + ",wavelength=0,mac=02:00:00:00:00:07");
  const test::Port derived(fabric + ",wavelength=1");
  const test::Port listener(fabric + ",wavelength=none");
  const test::Port other(fabric + ",wavelength=none");
  const rte_ether_addr wanted = {{2, 0, 0, 0, 0, 7}};
  EXPECT_TRUE(rte_is_same_ether_addr(&wanted, std::vector{given.mac()}.data()));
  EXPECT_EQ(derived.mac().addr_bytes[0], 0x02);
  EXPECT_EQ(derived.mac().addr_bytes[1], 0x4f);
  EXPECT_EQ(derived.mac().addr_bytes[2], 0x44);
  EXPECT_EQ(derived.mac().addr_bytes[5], 1);
  EXPECT_NE(listener.mac().addr_bytes[5], other.mac().addr_bytes[5]);
}

}  // namespace
}  // namespace lambdacast::odbss
