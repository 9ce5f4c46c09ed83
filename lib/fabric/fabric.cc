// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/fabric.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/fabric_files.h"
#include "fabric/file_owner.h"

namespace lambdacast::fabric {
namespace {

constexpr uint64_t kWavelengthLock = kSetupLock + 1;

constexpr std::size_t kMaxNameBytes = 32;

bool valid_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '.' || c == '-';
         });
}

void remove_data(const BackingDirectories& directories, const std::string& name) {
  for (const std::string& path : data_paths(directories, name)) ::unlink(path.c_str());
}

base::Result<void> must_match(const std::string& fabric, const char* field,
                              const std::optional<uint32_t>& wanted, uint32_t present,
                              const char* unit = "") {
  if (!wanted || *wanted == present) return {};
  return base::fail("fabric " + fabric + " has " + field + "=" + std::to_string(present) + unit +
                    ", this port asks for " + field + "=" + std::to_string(*wanted) + unit +
                    "; use the same value or another fabric name");
}

// A fabric is one user's, root's too: who maps its memory trusts whoever else does. Whose it is,
// whether it is in use, and what mends it.
base::Error foreign_fabric(const std::string& name, const std::string& path, uid_t owner,
                           const BackingDirectories& directories) {
  const FileUse use = file_use(path);
  const std::string whose = "fabric " + name + " is that of " + user_name(owner);
  if (use.locked) {
    const std::string end = use.process == 0 ? ""
                                             : ", end it (" + with_rights() + "kill " +
                                                   std::to_string(use.process) + ")";
    return {whose + " and live: " + process_name(use.process) + " uses " + path +
            "; run as that user" + end + " or choose another fabric name"};
  }
  std::string remove = with_rights() + "rm -f " + path;
  for (const std::string& data : data_paths(directories, name)) {
    if (::access(data.c_str(), F_OK) == 0) remove += " " + data;
  }
  return {whose + " and stale: no process uses " + path + "; to mend: " + remove +
          ", or choose another fabric name"};
}

base::Error system_error(const std::string& what, const std::string& path) {
  return {what + " " + path + ": " + std::strerror(errno)};
}

bool same_file(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

base::Result<std::unique_ptr<Fabric>> Fabric::attach(const std::string& name,
                                                     const AttachOptions& options) {
  if (!valid_name(name)) {
    return base::fail("fabric=" + name +
                      " is not allowed; allowed: 1 to 32 letters, digits, '_', '.' or '-'");
  }
  std::unique_ptr<Fabric> fabric(new Fabric);
  fabric->name_ = name;
  fabric->control_path_ =
      options.directories.shared_memory + "/" + std::string(kControlPrefix) + name;
  if (auto opened = fabric->open_or_create(options); !opened) {
    return tl::unexpected(opened.error());
  }
  return fabric;
}

base::Result<void> Fabric::open_or_create(const AttachOptions& options) {
  for (;;) {
    if (const auto owner = foreign_owner(control_path_)) {
      return tl::unexpected(foreign_fabric(name_, control_path_, *owner, options.directories));
    }
    control_ =
        LockedFile(::open(control_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!control_.is_open()) return tl::unexpected(system_error("cannot open", control_path_));
    if (!control_.lock_byte(kSetupLock)) {
      return tl::unexpected(system_error("cannot lock", control_path_));
    }
    // The last one out may have removed the file while we waited for the lock.
    if (same_file(control_.fd(), control_path_)) break;
  }
  const bool nobody_alive = control_.try_lock_exclusive();
  base::Result<void> done = nobody_alive ? create(options) : join(options);
  if (done && !control_.lock_shared()) {
    done = tl::unexpected(system_error("cannot lock", control_path_));
  }
  if (!done && nobody_alive) {
    remove_data(options.directories, name_);
    ::unlink(control_path_.c_str());
  }
  control_.unlock_byte(kSetupLock);
  return done;
}

base::Result<void> Fabric::create(const AttachOptions& options) {
  const Geometry defaults;
  auto valid = validate({options.wavelengths.value_or(defaults.wavelengths),
                         options.slots.value_or(defaults.slots),
                         options.frame_bytes.value_or(defaults.frame_bytes),
                         options.grid_ghz.value_or(defaults.grid_ghz)});
  if (!valid) return tl::unexpected(valid.error());
  geometry_ = *valid;

  remove_data(options.directories, name_);  // of a dead fabric
  auto backing = create_backing(options.directories, data_stem(name_), geometry_.segment_bytes());
  if (!backing) return tl::unexpected(backing.error());
  data_ = LockedFile(backing->fd);
  data_path_ = backing->path;
  auto mapping = Mapping::map(backing->fd, geometry_.segment_bytes(), Mapping::Access::kReadWrite);
  ControlFile control{.magic = kMagic,
                      .layout_version = kLayoutVersion,
                      .wavelengths = geometry_.wavelengths,
                      .slots = geometry_.slots,
                      .frame_bytes = geometry_.frame_bytes,
                      .data_path = {},
                      .grid_ghz = geometry_.grid_ghz,
                      .reserved = 0};
  if (!mapping) return tl::unexpected(mapping.error());
  if (!data_.lock_shared()) return tl::unexpected(system_error("cannot lock", data_path_));
  if (data_path_.size() >= sizeof control.data_path) {
    return base::fail("the path " + data_path_ + " is too long; allowed: " +
                      std::to_string(sizeof control.data_path - 1) + " bytes");
  }
  auto* segment = reinterpret_cast<SegmentHeader*>(mapping->data());
  segment->magic = kMagic;
  segment->layout_version = kLayoutVersion;

  data_path_.copy(control.data_path, sizeof control.data_path - 1);
  if (::ftruncate(control_.fd(), 0) != 0 ||
      ::pwrite(control_.fd(), &control, sizeof control, 0) != ssize_t{sizeof control}) {
    return tl::unexpected(system_error("cannot write", control_path_));
  }
  auto readable = Mapping::map(data_.fd(), geometry_.segment_bytes(), Mapping::Access::kRead);
  if (!readable) return tl::unexpected(readable.error());
  readable_ = std::move(*readable);
  return {};
}

base::Result<void> Fabric::join(const AttachOptions& options) {
  ControlFile control{};
  if (::pread(control_.fd(), &control, sizeof control, 0) != ssize_t{sizeof control} ||
      control.magic != kMagic) {
    return base::fail(control_path_ +
                      " is in use but is no fabric of ours; remove it or choose "
                      "another fabric name");
  }
  if (control.layout_version != kLayoutVersion) {
    return base::fail("fabric " + name_ + " has layout version " +
                      std::to_string(control.layout_version) + ", this program speaks version " +
                      std::to_string(kLayoutVersion) +
                      "; end the programs that use it or choose another fabric name");
  }
  geometry_ = {control.wavelengths, control.slots, control.frame_bytes, control.grid_ghz};
  for (const auto& matched :
       {must_match(name_, "wavelengths", options.wavelengths, geometry_.wavelengths),
        must_match(name_, "slots", options.slots, geometry_.slots),
        must_match(name_, "frame_bytes", options.frame_bytes, geometry_.frame_bytes),
        must_match(name_, "grid", options.grid_ghz, geometry_.grid_ghz, "GHz")}) {
    if (!matched) return matched;
  }
  control.data_path[sizeof control.data_path - 1] = '\0';
  data_path_ = control.data_path;
  data_ = LockedFile(::open(data_path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!data_.is_open() || !data_.lock_shared() || ::fstat(data_.fd(), &status) != 0) {
    return tl::unexpected(system_error("cannot open the fabric's data", data_path_));
  }
  if (!validate(geometry_) ||
      static_cast<std::size_t>(status.st_size) != geometry_.segment_bytes()) {
    return base::fail("fabric " + name_ + ": " + data_path_ + " does not have the size of " +
                      geometry_.text() + "; end the programs that use it");
  }
  auto readable = Mapping::map(data_.fd(), geometry_.segment_bytes(), Mapping::Access::kRead);
  if (!readable) return tl::unexpected(readable.error());
  readable_ = std::move(*readable);
  return {};
}

Fabric::~Fabric() {
  if (!control_.is_open()) return;
  release();
  if (!control_.lock_byte(kSetupLock)) return;
  if (!data_path_.empty() && control_.try_lock_exclusive() &&
      same_file(control_.fd(), control_path_)) {
    ::unlink(data_path_.c_str());
    ::unlink(control_path_.c_str());
  }
  control_.unlock_byte(kSetupLock);
}

void Fabric::forget_files() const {
  ::unlink(data_path_.c_str());
  ::unlink(control_path_.c_str());
}

base::Result<Transmitter> Fabric::claim(uint32_t wavelength) {
  if (wavelength >= geometry_.wavelengths) {
    return base::fail("wavelength " + std::to_string(wavelength) + " is not on fabric " + name_ +
                      ", which has " + std::to_string(geometry_.wavelengths));
  }
  if (owned_) {
    return base::fail("this port already transmits on wavelength " + std::to_string(*owned_));
  }
  if (!control_.try_lock_byte(kWavelengthLock + wavelength)) {
    return base::fail("wavelength " + std::to_string(wavelength) + " of fabric " + name_ +
                      " already has a transmitter: " +
                      process_name(range_holder(control_path_, kWavelengthLock + wavelength)) +
                      "; choose another wavelength or end it");
  }
  auto mapping = Mapping::map(data_.fd(), geometry_.segment_bytes(), Mapping::Access::kReadWrite);
  if (!mapping) {
    control_.unlock_byte(kWavelengthLock + wavelength);
    return tl::unexpected(mapping.error());
  }
  writable_ = std::move(*mapping);
  writable_.populate(geometry_.ring_offset(wavelength), geometry_.ring_stride_bytes());
  owned_ = wavelength;
  return Transmitter(writable_.data(), geometry_, wavelength);
}

void Fabric::release() {
  if (!owned_) return;
  writable_ = {};
  control_.unlock_byte(kWavelengthLock + *owned_);
  owned_.reset();
}

base::Result<std::unique_ptr<OwnerHold>> Fabric::name_owner(uint32_t wavelength,
                                                            const OwnerName& name) {
  const std::string which = "wavelength " + std::to_string(wavelength) + " of fabric " + name_;
  if (wavelength >= geometry_.wavelengths) return base::fail(which + " is none of its own");
  // A lock of this attachment's own would not be in the way.
  if (owned_ != wavelength && control_.try_lock_byte(kWavelengthLock + wavelength)) {
    control_.unlock_byte(kWavelengthLock + wavelength);
    return base::fail(which + " has no transmitter to be named; claim it first");
  }
  auto mapping = Mapping::map(data_.fd(), geometry_.segment_bytes(), Mapping::Access::kReadWrite);
  if (!mapping) return tl::unexpected(mapping.error());
  return OwnerHold::begin(std::move(*mapping), geometry_.control_offset(wavelength), name);
}

Receiver Fabric::listen(uint32_t wavelength) const {
  readable_.populate(geometry_.ring_offset(wavelength), geometry_.ring_stride_bytes());
  return Receiver(readable_.data(), geometry_, wavelength);
}

}  // namespace lambdacast::fabric
