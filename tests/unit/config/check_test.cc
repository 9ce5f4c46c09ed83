// SPDX-License-Identifier: BSD-3-Clause
// Rules between keys, sections and endpoints.
#include "support.h"

namespace lambdacast::config {
namespace {

std::string endpoint(const std::string& name, const std::string& address, const std::string& rest) {
  return "[[endpoint]]\nname = \"" + name + "\"\naddress = \"" + address + "\"\n" + rest + "\n";
}

TEST(CheckCount, at_least_one_endpoint) {
  EXPECT_EQ(problems_of(""), "t:1: endpoint: is missing; allowed: 1..32 [[endpoint]] sections\n");
}

TEST(CheckCount, at_most_32) {
  std::string file;
  for (int i = 0; i < 33; ++i) {
    const std::string n = std::to_string(i);
    file += endpoint("n" + n, "10.0.1." + n, "port = \"net_null" + n + "\"");
  }
  EXPECT_EQ(problems_of(file),
            "t:129: endpoint: is number 33 of 33; allowed: 1..32 [[endpoint]] sections\n");
}

TEST(CheckUnique, names_both_endpoints) {
  EXPECT_EQ(
      problems_of(kMinimal + endpoint("a", "10.0.0.2", "port = \"net_null0\"")),
      "t:9: endpoint.name: \"a\" of endpoint \"a\" is that of endpoint \"a\" (line 5) already; "
      "allowed: another name for each endpoint\n");
  EXPECT_EQ(
      problems_of(kMinimal + endpoint("b", "10.0.0.1", "port = \"net_null0\"")),
      "t:10: endpoint.address: \"10.0.0.1\" of endpoint \"b\" is that of endpoint \"a\" (line 6) "
      "already; allowed: another address for each endpoint\n");
  EXPECT_EQ(
      problems_of(kMinimal + endpoint("b", "10.0.0.2", "wavelength = \"C21\"")),
      "t:11: endpoint.wavelength: \"C21\" of endpoint \"b\" is that of endpoint \"a\" (line 7) "
      "already; allowed: another wavelength for each endpoint\n");
  const std::string null0 = "port = \"net_null0,size=64\"";
  EXPECT_EQ(
      problems_of(kSecond + endpoint("c", "10.0.0.3", null0)),
      "t:8: endpoint.port: \"net_null0,size=64\" of endpoint \"c\" is that of endpoint \"b\" (line "
      "4) already; allowed: another port for each endpoint\n");
  const std::string mac = "mac = \"02:00:00:00:00:01\"\n";
  EXPECT_EQ(
      problems_of(kMinimal + mac + kSecond + mac),
      "t:13: endpoint.mac: \"02:00:00:00:00:01\" of endpoint \"b\" is that of endpoint \"a\" (line "
      "8) already; allowed: another mac for each endpoint\n");
}

TEST(CheckUnique, sees_through_spelling) {
  EXPECT_EQ(
      problems_of(endpoint("a", "fd00::1", "port = \"net_null0\"") +
                  endpoint("b", "FD00:0::01", "port = \"net_null1\"")),
      "t:7: endpoint.address: \"FD00:0::01\" of endpoint \"b\" is that of endpoint \"a\" (line 3) "
      "already; allowed: another address for each endpoint\n");
}

TEST(CheckUnique, counts_receive_ports_as_devices) {
  const std::string listens = "rx_ports = [\"net_null1\", \"net_null2,size=64\"]\n";
  EXPECT_EQ(problems_of(kSecond + listens), "");
  EXPECT_EQ(problems_of(kSecond + "rx_ports = [\"net_null0\"]\n"), "");  // its own, to listen too
  EXPECT_EQ(problems_of(kSecond + listens + endpoint("c", "10.0.0.3", "port = \"net_null2\"")),
            "t:9: endpoint.port: \"net_null2\" of endpoint \"c\" is that of endpoint \"b\" (line "
            "4) already; allowed: another port for each endpoint\n");
  EXPECT_EQ(
      problems_of(kSecond +
                  endpoint("c", "10.0.0.3", "port = \"net_null3\"\nrx_ports = [\"net_null0\"]")),
      "t:9: endpoint.rx_ports: [ \"net_null0\" ] of endpoint \"c\" has net_null0, a device of "
      "endpoint \"b\" already; allowed: other devices for each endpoint\n");
  EXPECT_EQ(problems_of(kSecond + "rx_ports = [\"net_null1\", \"net_null1,size=1\"]\n"),
            "t:5: endpoint.rx_ports: [ \"net_null1\", \"net_null1,size=1\" ] has net_null1 twice; "
            "allowed: each device once\n");
}

TEST(CheckReceiving, each_attachment_has_its_own_way) {
  EXPECT_EQ(problems_of(kMinimal + "rx_queues = \"wavelength\"\n"), "");
  EXPECT_EQ(problems_of(kSecond + "rx_queues = \"wavelength\"\n"),
            "t:5: endpoint.rx_queues: \"wavelength\" is for endpoint \"b\", which has a port; "
            "allowed: \"one\": wavelengths come to a port through rx_ports\n");
  EXPECT_EQ(problems_of(kMinimal + "rx_ports = [\"net_null1\"]\n"),
            "t:8: endpoint.rx_ports: [ \"net_null1\" ] is for endpoint \"a\", which has no port to "
            "transmit on; allowed: [], or a port in place of the wavelength\n");
}

TEST(CheckNeighbors, are_others_of_the_same_family_on_a_port) {
  const auto with = [](const std::string& first, const std::string& address) {
    return problems_of(first + "[[endpoint.neighbor]]\naddress = \"" + address +
                       "\"\nmac = \"02:00:00:00:00:09\"\n");
  };
  EXPECT_EQ(with(kSecond, "10.0.0.9"), "");
  EXPECT_EQ(with(kMinimal, "10.0.0.9"),
            "t:9: endpoint.neighbor.address: \"10.0.0.9\" is a neighbor of endpoint \"a\", which "
            "has a wavelength; allowed: neighbors of endpoints with a port\n");
  EXPECT_EQ(with(kSecond, "fd00::9"),
            "t:6: endpoint.neighbor.address: \"fd00::9\" is of another family than the address of "
            "endpoint \"b\", 10.0.0.2; allowed: an IPv4 address\n");
  EXPECT_EQ(with(kSecond, "10.0.0.2"),
            "t:6: endpoint.neighbor.address: \"10.0.0.2\" is the address of endpoint \"b\" itself; "
            "allowed: the address of another\n");
  const std::string twice =
      "[[endpoint.neighbor]]\naddress = \"10.0.0.9\"\n"
      "mac = \"02:00:00:00:00:01\"\n";
  EXPECT_EQ(with(kSecond + twice, "10.0.0.9"),
            "t:9: endpoint.neighbor.address: \"10.0.0.9\" is a neighbor of endpoint \"b\" twice; "
            "allowed: one [[endpoint.neighbor]] for each\n");
  EXPECT_EQ(problems_of(kSecond + "[[endpoint.neighbor]]\naddress = \"10.0.0.9\"\n"),
            "t:5: endpoint.neighbor.mac: is missing; allowed: six hexadecimal pairs, not a group "
            "address\n");
  EXPECT_EQ(problems_of(kSecond + "neighbor = 1\n"),
            "t:5: endpoint.neighbor: 1 is not a list of tables; allowed: [[endpoint.neighbor]] for "
            "each\n");
}

TEST(CheckAttachment, wavelength_or_port) {
  EXPECT_EQ(
      problems_of(kMinimal + "port = \"net_null0\""),
      "t:8: endpoint.port: \"net_null0\" stands beside a wavelength; allowed: either wavelength "
      "or port\n");
  EXPECT_EQ(problems_of("[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\""),
            "t:1: endpoint: has neither wavelength nor port; allowed: one of the two\n");
}

TEST(CheckAttachment, wavelength_needs_the_fabric) {
  EXPECT_EQ(
      problems_of(endpoint("a", "10.0.0.1", "wavelength = \"C34\"")),
      "t:4: endpoint.wavelength: \"C34\" needs an embedded fabric, and the file has no [fabric]; "
      "allowed: with a [fabric] section, or port in its place\n");
  EXPECT_EQ(
      problems_of("[fabric]\nname = \"lab\"\nwavelengths = 4\n" +
                  endpoint("a", "10.0.0.1", "wavelength = \"C25\"")),
      "t:7: endpoint.wavelength: \"C25\" is wavelength 5 of a fabric with 4; allowed: \"C21\" to "
      "\"C24\", or more fabric.wavelengths\n");
  EXPECT_EQ(problems_of("[fabric]\nname = \"lab\"\nwavelengths = 4\n" +
                        endpoint("a", "10.0.0.1", "wavelength = \"C24\"")),
            "");
}

TEST(CheckAttachment, faults_need_the_fabric) {
  EXPECT_EQ(
      problems_of(kSecond + "faults = { loss = 0.1 }"),
      "t:5: endpoint.faults.loss: 0.1 is a fault for endpoint \"b\", which has a port; allowed: "
      "faults of endpoints with a wavelength: the embedded fabric injects them\n");
  EXPECT_EQ(
      problems_of("[endpoint_defaults.faults]\nduplicate = 1\n" + kSecond),
      "t:2: endpoint_defaults.faults.duplicate: 1 is a fault for endpoint \"b\", which has a "
      "port; allowed: faults of endpoints with a wavelength: the embedded fabric injects them\n");
  EXPECT_EQ(problems_of(kSecond + "faults = { loss = 0.0, seed = 5 }"), "");
}

TEST(CheckFrame, path_mtu_and_headers_fit) {
  const std::string fabric = "[fabric]\nname = \"lab\"\nframe_bytes = 4189\n";
  const std::string node = endpoint("a", "10.0.0.1", "wavelength = \"C21\"");
  EXPECT_EQ(
      problems_of(fabric + node + "path_mtu = 4096"),
      "t:8: endpoint.path_mtu: 4096 and 94 bytes of headers make frames of 4190 bytes, the "
      "fabric's have 4189; allowed: at most 4095 bytes, or fabric.frame_bytes of at least 4190\n");
  EXPECT_EQ(
      problems_of(fabric + node),
      "t:3: fabric.frame_bytes: 4189 is too short for endpoints with a path_mtu of 4096 bytes "
      "(the default); allowed: at least 4190 bytes, or a smaller path_mtu\n");
  EXPECT_EQ(problems_of(fabric + node + "path_mtu = 2048"), "");
  EXPECT_EQ(problems_of("[fabric]\nname = \"lab\"\nframe_bytes = 4190\n" + node), "");
}

TEST(CheckSizes, pool_covers_descriptors_and_bursts) {
  EXPECT_EQ(
      problems_of(kMinimal + "mbufs = 4159"),
      "t:8: endpoint.mbufs: 4159 leaves endpoint \"a\" a pool of 4159 mbufs, and its descriptors, "
      "bursts and windows hold 4160; allowed: mbufs of at least 4160, fewer descriptors, or "
      "smaller "
      "windows\n");
  EXPECT_EQ(problems_of(kMinimal + "mbufs = 4160"), "");
  EXPECT_EQ(
      problems_of(kMinimal + "rx_descriptors = 32768"),
      "t:8: endpoint.rx_descriptors: 32768 leaves endpoint \"a\" a pool of 8192 mbufs, and its "
      "descriptors, bursts and windows hold 35904; allowed: mbufs of at least 35904, fewer "
      "descriptors, or smaller windows\n");
}

TEST(CheckSizes, payload_fits_max_message_bytes) {
  EXPECT_EQ(problems_of(kMinimal + "path_mtu = 256\ntraffic = { payload_bytes = 100000 }"), "");
  EXPECT_EQ(
      problems_of(kMinimal + "max_message_bytes = 300\ntraffic = { payload_bytes = 301 }"),
      "t:9: endpoint.traffic.payload_bytes: 301 is more than the max_message_bytes of endpoint "
      "\"a\", 300; allowed: 0..300 bytes\n");
  EXPECT_EQ(
      problems_of("[traffic]\npayload_bytes = 4000\n" + kMinimal + "max_message_bytes = 300"),
      "t:2: traffic.payload_bytes: 4000 is more than the max_message_bytes of endpoint \"a\", "
      "300; allowed: 0..300 bytes\n");
}

TEST(CheckSizes, reassembly_holds_two_of_the_longest_messages) {
  EXPECT_EQ(problems_of(kMinimal + "max_message_bytes = 65536\nreassembly_bytes = 131072"), "");
  EXPECT_EQ(
      problems_of(kMinimal + "max_message_bytes = 65537\nreassembly_bytes = 131072"),
      "t:9: endpoint.reassembly_bytes: 131072 leaves endpoint \"a\" reassembly memory of 131072 "
      "bytes for messages of up to 65537; allowed: reassembly_bytes of at least 262144, or a "
      "smaller max_message_bytes\n");
}

TEST(CheckWire, queue_pairs_differ) {
  EXPECT_EQ(
      problems_of(kMinimal + "data_qpn = 7\ncontrol_qpn = 7"),
      "t:9: endpoint.control_qpn: 7 is the queue pair of data and of control; allowed: two that "
      "differ\n");
  EXPECT_EQ(
      problems_of(kMinimal + "data_qpn = 18"),
      "t:8: endpoint.data_qpn: 18 is the queue pair of data and of control; allowed: two that "
      "differ\n");
}

TEST(CheckWire, multicast_has_the_family_of_address) {
  EXPECT_EQ(
      problems_of(kMinimal + "multicast = \"ff15::1\""),
      "t:8: endpoint.multicast: \"ff15::1\" is of another family than the address of endpoint "
      "\"a\", 10.0.0.1; allowed: an IPv4 multicast address\n");
  EXPECT_EQ(
      problems_of("[endpoint_defaults]\nmulticast = \"239.1.1.1\"\n" +
                  endpoint("a", "fd00::1", "port = \"net_null0\"")),
      "t:2: endpoint_defaults.multicast: \"239.1.1.1\" is of another family than the address of "
      "endpoint \"a\", fd00::1; allowed: an IPv6 multicast address\n");
}

TEST(CheckLcores, once_each_and_sleep_only_asleep) {
  EXPECT_EQ(
      problems_of(kMinimal + "[[lcore]]\nid = 0\n[[lcore]]\nid = 0"),
      "t:11: lcore.id: 0 is described at line 9 already; allowed: one [[lcore]] for each id\n");
  EXPECT_EQ(
      problems_of(kMinimal + "[[lcore]]\nid = 0\nsleep_us = 10"),
      "t:10: lcore.sleep_us: 10 has no meaning with idle = \"pause\"; allowed: only with idle = "
      "\"sleep\"\n");
  EXPECT_EQ(
      problems_of(kMinimal + "[[lcore]]\nid = 0\nidle = \"spin\"\nsleep_max_us = 10"),
      "t:11: lcore.sleep_max_us: 10 has no meaning with idle = \"spin\"; allowed: only with idle = "
      "\"sleep\"\n");
  EXPECT_EQ(problems_of(kMinimal + "[[lcore]]\nid = 0\nidle = \"sleep\"\nsleep_us = 10"), "");
}

TEST(Warnings, what_is_of_no_use) {
  const Config unused_lcore = loaded(kMinimal + "[[lcore]]\nid = 5");
  EXPECT_EQ(
      text(unused_lcore.warnings),
      "t:9: lcore.id: 5 is an lcore that no endpoint uses; allowed: an lcore of some endpoint's "
      "lcore or stages\n");
  ASSERT_EQ(unused_lcore.lcores.size(), 1u);
  EXPECT_EQ(unused_lcore.lcores[0].id, 0u);
  EXPECT_EQ(
      text(loaded("[fabric]\nname = \"lab\"\n" + kSecond).warnings),
      "t:1: fabric: is used by no endpoint; allowed: with an endpoint that has a wavelength\n");
}

// A wrong value is reported once, and not again by a rule that would compare it.
TEST(Check, speaks_only_of_valid_keys) {
  EXPECT_EQ(problems_of("[fabric]\nname = \"lab\"\nframe_bytes = 100\nwavelengths = 0\n" +
                        endpoint("a", "10.0.0.1", "wavelength = \"C60\"")),
            "t:3: fabric.frame_bytes: 100 is not allowed; allowed: 1518..9216 bytes\n"
            "t:4: fabric.wavelengths: 0 is not allowed; allowed: 1..80 wavelengths\n");
  EXPECT_EQ(problems_of(kMinimal + "control_qpn = 1\ndata_qpn = 18"),
            "t:8: endpoint.control_qpn: 1 is not allowed; allowed: 2..0xfffffe\n");
}

}  // namespace
}  // namespace lambdacast::config
