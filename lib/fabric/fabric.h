// SPDX-License-Identifier: BSD-3-Clause
// The embedded broadcast fabric: a shared-memory medium that behaves as an ODBSS does (ODBSS 2019,
// II.A): every node transmits on its own wavelength, every node can hear every wavelength, and
// nothing a listener does reaches a transmitter.
//
// A Fabric is one attachment of one process: a port. It may own one wavelength and listen to any.
// Attaching and claiming are set-up work; the data path is Transmitter and Receiver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "fabric/backing.h"
#include "fabric/geometry.h"
#include "fabric/locked_file.h"
#include "fabric/mapping.h"
#include "fabric/owner_hold.h"
#include "fabric/owner_watch.h"
#include "fabric/receiver.h"
#include "fabric/transmitter.h"

namespace lambdacast::fabric {

struct AttachOptions {
  // A value that is given must match what the fabric already has; one that is not takes it over.
  std::optional<uint32_t> wavelengths;
  std::optional<uint32_t> slots;
  std::optional<uint32_t> frame_bytes;
  BackingDirectories directories = BackingDirectories::of_this_machine();
  std::optional<uint32_t> grid_ghz;
};

class Fabric {
 public:
  // Attaches to the fabric of that name, or makes it when there is none or nobody alive holds it.
  // name: 1 to 32 of A-Z a-z 0-9 _ . -
  // Errors: a bad name or geometry; a living fabric of another geometry or layout version (both
  // are named); no room; a file that is not ours.
  [[nodiscard]] static base::Result<std::unique_ptr<Fabric>> attach(const std::string& name,
                                                                    const AttachOptions& options);
  // Leaves; the last one out removes the files.
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Takes a wavelength for this attachment, until release() or until the process ends.
  // Errors: index out of range, owned by somebody else, or this attachment owns one already.
  [[nodiscard]] base::Result<Transmitter> claim(uint32_t wavelength);
  void release();

  [[nodiscard]] Receiver listen(uint32_t wavelength) const;

  // Names the owner of a wavelength that a port of this process has claimed, for as long as the
  // result lives, and tells its listeners at once when this process ends (owner_hold.h).
  // Errors: index out of range, nobody has claimed it, or no thread can be made.
  [[nodiscard]] base::Result<std::unique_ptr<OwnerHold>> name_owner(uint32_t wavelength,
                                                                    const OwnerName& name);
  // Of the owners of all wavelengths; the fabric outlives it.
  [[nodiscard]] OwnerWatch watch_owners() const { return {readable_.data(), geometry_}; }

  [[nodiscard]] uint64_t lit_generation() const {
    return header().lit_generation.load(std::memory_order_acquire);
  }

  // Removes the files: nobody joins any more, and the memory goes with the last one attached,
  // however that one ends.
  void forget_files() const;

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& data_path() const { return data_path_; }
  [[nodiscard]] std::optional<uint32_t> owned_wavelength() const { return owned_; }

 private:
  Fabric() = default;
  [[nodiscard]] base::Result<void> open_or_create(const AttachOptions& options);
  [[nodiscard]] base::Result<void> create(const AttachOptions& options);
  [[nodiscard]] base::Result<void> join(const AttachOptions& options);
  [[nodiscard]] const SegmentHeader& header() const {
    return *reinterpret_cast<const SegmentHeader*>(readable_.data());
  }

  std::string name_;
  std::string control_path_;
  std::string data_path_;
  Geometry geometry_;
  LockedFile control_;
  LockedFile data_;
  Mapping readable_;  // the whole segment, read-only: listening cannot harm a transmitter
  Mapping writable_;  // mapped while a wavelength is owned
  std::optional<uint32_t> owned_;
};

}  // namespace lambdacast::fabric
