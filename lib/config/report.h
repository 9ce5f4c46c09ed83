// SPDX-License-Identifier: BSD-3-Clause
// Where values stand in a file, and the list of everything wrong with it. Internal to lib/config.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace lambdacast::config {

// Where a key is set, for the texts of checks that come after reading.
struct Origin {
  unsigned line = 0;
  std::string key;    // in full, "endpoint.path_mtu"; with another section's name if inherited
  std::string value;  // as TOML; empty for the section itself
  bool valid = true;  // false: already reported, so no later check should speak of it
};

// The keys a section sets, by name; those of its sub-tables as "traffic.group". "" is the section.
class Origins {
 public:
  void set(std::string_view key, Origin origin) {
    by_key_.insert_or_assign(std::string(key), std::move(origin));
  }
  // Null unless the file sets the key, and to something valid.
  [[nodiscard]] const Origin* find(std::string_view key) const;
  // Whether the file sets the key, rightly or wrongly.
  [[nodiscard]] bool mentions(std::string_view key) const { return by_key_.contains(key); }
  // Whether it sets any key of a sub-table, "optical.".
  [[nodiscard]] bool mentions_any(std::string_view prefix) const {
    const auto first = by_key_.lower_bound(prefix);
    return first != by_key_.end() && first->first.starts_with(prefix);
  }
  [[nodiscard]] bool invalid(std::string_view key) const { return mentions(key) && !find(key); }
  [[nodiscard]] const Origin& section() const { return by_key_.find("")->second; }
  // Takes over another's keys under a prefix, but not its section.
  void add_all(const Origins& other, std::string_view prefix);

 private:
  std::map<std::string, Origin, std::less<>> by_key_;
};

class Report {
 public:
  explicit Report(std::string_view file) : file_(file) {}

  void add(const Origin& origin, const std::string& reason, const std::string& allowed);
  void add_syntax(unsigned line, unsigned column, const std::string& description);
  void warn(const Origin& origin, const std::string& reason, const std::string& allowed);

  [[nodiscard]] bool clean() const { return problems_.empty(); }
  // The problems by line, each text once, since two endpoints may inherit one from the defaults.
  [[nodiscard]] std::vector<Problem> take_problems();
  [[nodiscard]] std::vector<Problem> take_warnings();

 private:
  [[nodiscard]] Problem make(const Origin& origin, const std::string& reason,
                             const std::string& allowed) const;

  std::string file_;
  std::vector<Problem> problems_;
  std::vector<Problem> warnings_;
};

}  // namespace lambdacast::config
