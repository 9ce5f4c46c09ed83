// Keys whose value is one member of their section: what keys.cc and light_keys.cc are made of.
// Internal to lib/config.
#pragma once

#include <fmt/format.h>

#include "config/key.h"

namespace lambdacast::config {

// ---- from a TOML value to a member, and from a member's initialiser to the default's text ----

template <typename T>
requires std::is_integral_v<T>
inline void assign(T& member, const Value& value) {
  member = static_cast<T>(std::get<int64_t>(value));
}
inline void assign(bool& member, const Value& value) { member = std::get<bool>(value); }
inline void assign(double& member, const Value& value) { member = std::get<double>(value); }
inline void assign(std::string& member, const Value& value) {
  member = std::get<std::string>(value);
}
inline void assign(std::optional<uint16_t>& member, const Value& value) {
  member = static_cast<uint16_t>(std::get<int64_t>(value));
}
inline void assign(std::vector<std::string>& member, const Value& value) {
  member = std::get<std::vector<std::string>>(value);
}
inline void assign(std::vector<uint32_t>& member, const Value& value) {
  const auto& list = std::get<std::vector<int64_t>>(value);
  member.assign(list.begin(), list.end());
}
inline void assign(IpAddress& member, const Value& value) {
  member = parse_ip(std::get<std::string>(value)).value();
}
inline void assign(std::optional<IpAddress>& member, const Value& value) {
  member = parse_ip(std::get<std::string>(value)).value();
}
inline void assign(std::optional<MacBytes>& member, const Value& value) {
  member = parse_mac(std::get<std::string>(value));
}
inline void assign(MacBytes& member, const Value& value) {
  member = parse_mac(std::get<std::string>(value)).value();
}
inline void assign(std::optional<wdm::Channel>& member, const Value& value) {
  member = wdm::channel_from_name(std::get<std::string>(value));
}
template <typename E>
requires std::is_enum_v<E>
inline void assign(E& member, const Value& value) {
  const auto& word = std::get<std::string>(value);
  for (uint8_t i = 0; name(static_cast<E>(i)) != ""; ++i) {
    if (name(static_cast<E>(i)) == word) member = static_cast<E>(i);
  }
}

inline std::string show(bool v) { return v ? "true" : "false"; }
inline std::string show(double v) { return fmt::format("{}", v); }
inline std::string show(const std::string& v) {
  return v.empty() ? "none" : fmt::format("\"{}\"", v);
}
inline std::string show(const IpAddress& v) { return show(v.text); }
inline std::string show(const std::vector<uint32_t>& v) {
  std::string text;
  for (uint32_t each : v) text += fmt::format("{}{}", text.empty() ? "" : ", ", each);
  return fmt::format("[{}]", text);
}
inline std::string show(const std::vector<std::string>& v) {
  std::string text;
  for (const std::string& each : v) text += (text.empty() ? "" : ", ") + show(each);
  return fmt::format("[{}]", text);
}
inline std::string show(wdm::Channel v) { return show(wdm::channel_name(v)); }
inline std::string show(const MacBytes& v) {
  std::string text;
  for (const uint8_t byte : v) {
    text += text.empty() ? "" : ":";
    for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
  }
  return show(text);
}
template <typename T>
requires std::is_integral_v<T> std::string show(T v) {
  return v < 0xffff ? fmt::format("{}", v) : fmt::format("{:#x}", v);  // keys and masks
}
template <typename E>
requires std::is_enum_v<E> std::string show(E v) { return fmt::format("\"{}\"", name(v)); }

template <typename T>
inline std::string show(const std::optional<T>& v) {
  return v ? show(*v) : "none";
}

// A section as its initialisers make it, once: building one in each default_text would make g++ 12
// warn falsely of uninitialised members.
template <typename S>
const S& initial() {
  static const S section;
  return section;
}

template <auto member>
struct MemberOf;
template <typename S, typename T, T S::*member>
struct MemberOf<member> {
  using Section = S;
  static void store(S& section, const Value& value) { assign(section.*member, value); }
  static std::string default_text() { return show(initial<S>().*member); }
  static std::string text(const S& section) { return show(section.*member); }
};

// A key whose value is one member of its section.
template <auto member>
KeyOf<typename MemberOf<member>::Section> key(std::string_view key_name, std::string_view unit,
                                              Rule rule, std::string_view help,
                                              Presence presence = Presence::kOptional) {
  using M = MemberOf<member>;
  return {{key_name, unit, std::move(rule), presence, help, &M::default_text}, &M::store, &M::text};
}

}  // namespace lambdacast::config
