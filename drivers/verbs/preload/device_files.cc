// SPDX-License-Identifier: BSD-3-Clause
#include "device_files.h"

#include <charconv>
#include <cstdio>

#include "device.h"

namespace lambdacast::verbs {
namespace {

constexpr std::string_view kPortDirectory = "ports/1/";

std::string hex(const char* format, unsigned int value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Groups of four digits, as sysfs has GIDs and GUIDs.
std::string groups(const uint8_t* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i += 2) {
    if (i != 0) text += ':';
    text += hex("%04x", base::load_be16(bytes + i));
  }
  return text;
}

// Files whose text does not depend on the state of the device.
constexpr struct {
  std::string_view name, text;
} kConstants[] = {
    {"board_id", "LAMBDACAST_ODBSS"},   {"hca_type", "Lambdacast"},
    {"fw_ver", kFirmwareVersion},       {"node_type", "1: CA"},
    {"node_desc", kDeviceName},         {"device/numa_node", "-1"},
    {"ports/1/state", "4: ACTIVE"},     {"ports/1/phys_state", "5: LinkUp"},
    {"ports/1/link_layer", "Ethernet"}, {"ports/1/lid", "0x0"},
    {"ports/1/sm_lid", "0x0"},
};

// The number behind `directory`; nothing for another name.
std::optional<size_t> index_in(std::string_view name, std::string_view directory) {
  if (!name.starts_with(directory)) return std::nullopt;
  name.remove_prefix(directory.size());
  size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

std::optional<std::string> of_table(std::string_view name) {
  const Addresses& addresses = device().addresses();
  constexpr auto kEntries = static_cast<size_t>(kGidTableEntries);
  if (const auto index = index_in(name, "gids/"); index && *index < kEntries) {
    return groups(addresses.gid(*index).bytes.data(), 16);
  }
  const auto type = index_in(name, "gid_attrs/types/");
  if (type && *type < kEntries && addresses.gid(*type) != wire::Gid{}) return "RoCE v2";
  const auto& keys = device().settings().pkeys;
  if (const auto index = index_in(name, "pkeys/"); index && *index < keys.size()) {
    return hex("0x%04x", keys[*index]);
  }
  return std::nullopt;
}

std::optional<std::string> line_of(std::string_view name) {
  for (const auto& constant : kConstants) {
    if (constant.name == name) return std::string(constant.text);
  }
  if (name == "node_guid" || name == "sys_image_guid") {
    return groups(&device().addresses().gid(0).bytes[8], 8);
  }
  if (!name.starts_with(kPortDirectory)) return std::nullopt;
  name.remove_prefix(kPortDirectory.size());
  return of_table(name);
}

}  // namespace

bool is_device_path(std::string_view path) {
  if (path == kDeviceNode) return true;
  if (!path.starts_with(kDeviceDirectory)) return false;
  return path.size() == kDeviceDirectory.size() || path[kDeviceDirectory.size()] == '/';
}

std::optional<std::string> device_text(std::string_view name) {
  const std::scoped_lock held(device().lock);
  auto line = line_of(name);
  if (line) *line += '\n';
  return line;
}

DeviceEntry device_entry(std::string_view path) {
  if (!device().can_be()) return DeviceEntry::kNone;
  if (path == kDeviceNode) return DeviceEntry::kNode;
  path.remove_prefix(std::min(path.size(), kDeviceDirectory.size() + 1));
  return device_text(path) ? DeviceEntry::kText : DeviceEntry::kNone;
}

}  // namespace lambdacast::verbs
