// SPDX-License-Identifier: BSD-3-Clause
// The files that the kernel would have for the device, below /sys/class/infiniband and in
// /dev/infiniband: programs look there for what libibverbs does not say. libc_calls.cc shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lambdacast::verbs {

inline constexpr std::string_view kDeviceName = "lambdacast0";
inline constexpr std::string_view kFirmwareVersion = "0.1.0";
inline constexpr std::string_view kDeviceDirectory = "/sys/class/infiniband/lambdacast0";
inline constexpr std::string_view kDeviceNode = "/dev/infiniband/uverbs-lambdacast0";

// Is it the device's directory, something below it, or its node? Cheap: all calls that open a file
// pass here.
[[nodiscard]] bool is_device_path(std::string_view path);

// The text of the file of that name below the device's directory, its newline included; nothing
// where there is no such file. Addresses are those of the open device. Takes the device's lock.
[[nodiscard]] std::optional<std::string> device_text(std::string_view name);

enum class DeviceEntry : uint8_t { kNone, kText, kNode };
// The kind of file at a path for which is_device_path() is true; kNone also if there is no device.
[[nodiscard]] DeviceEntry device_entry(std::string_view path);

}  // namespace lambdacast::verbs
