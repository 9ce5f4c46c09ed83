// SPDX-License-Identifier: BSD-3-Clause
// From a TOML table to a section's struct by the section's table of keys: reports unknown keys,
// wrong types, values out of range and missing keys, and remembers where each key stands. Internal
// to lib/config.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <span>

#include "config/key.h"
#include "config/report.h"

namespace lambdacast::config {

// The name of a table in texts, and the tables that it may hold besides its keys.
struct Scope {
  std::string path;                           // "endpoint.faults"; "" for the whole file
  std::vector<std::string_view> tables = {};  // sub-tables read apart
  bool defaults = false;                      // [endpoint_defaults]: no key of one endpoint alone
};

class Reader {
 public:
  explicit Reader(Report& report) : report_(report) {}

  template <typename S>
  void read(const toml::table& table, const Scope& scope, std::span<const KeyOf<S>> keys,
            S& section, Origins& origins) {
    std::vector<const Key*> known;
    for (const auto& key : keys) {
      if (scope.defaults && key.own()) continue;
      known.push_back(&key);
      if (const auto value = take(table, scope, key, origins)) key.store(section, *value);
    }
    report_unknown(table, scope, known);
  }

  // Returns the table, or null. A key that is there and no table is reported.
  [[nodiscard]] const toml::table* table_at(const toml::table& table, std::string_view path,
                                            std::string_view key);
  // The tables of [[key]]; none, and reported if the key is there, unless it is a list of tables.
  [[nodiscard]] std::vector<const toml::table*> tables_at(const toml::table& table,
                                                          std::string_view path,
                                                          std::string_view key);
  void report_unknown(const toml::table& table, const Scope& scope,
                      const std::vector<const Key*>& known);

 private:
  [[nodiscard]] std::optional<Value> take(const toml::table& table, const Scope& scope,
                                          const Key& key, Origins& origins);
  Report& report_;
};

// Where a node stands, under the name of its key in full.
[[nodiscard]] Origin origin_of(const toml::node& node, std::string key);
// "endpoint" and "burst": "endpoint.burst"; "" and "fabric": "fabric".
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);

}  // namespace lambdacast::config
