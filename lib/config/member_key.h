// SPDX-License-Identifier: BSD-3-Clause
// Keys whose value is one member of their section, or of a struct in it: what the tables of keys
// are made of. Internal to lib/config.
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
inline void assign(std::optional<wire::MacAddress>& member, const Value& value) {
  member = wire::parse_mac(std::get<std::string>(value)).value();
}
inline void assign(wire::MacAddress& member, const Value& value) {
  member = wire::parse_mac(std::get<std::string>(value)).value();
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

// ---- and back: what the key's rule judges of a section that no file made ----

template <typename T>
requires std::is_integral_v<T>
inline std::optional<Value> value_of(T member) { return Value(static_cast<int64_t>(member)); }
inline std::optional<Value> value_of(bool member) { return Value(member); }
inline std::optional<Value> value_of(double member) { return Value(member); }
inline std::optional<Value> value_of(const std::string& member) { return Value(member); }
inline std::optional<Value> value_of(const std::vector<std::string>& member) {
  return Value(member);
}
inline std::optional<Value> value_of(const std::vector<uint32_t>& member) {
  return Value(std::vector<int64_t>(member.begin(), member.end()));
}
inline std::optional<Value> value_of(const IpAddress& member) { return Value(member.text); }
inline std::optional<Value> value_of(const wire::MacAddress& member) {
  return Value(wire::format(member));
}
inline std::optional<Value> value_of(wdm::Channel member) {
  return Value(wdm::channel_name(member));
}
template <typename E>
requires std::is_enum_v<E>
inline std::optional<Value> value_of(E member) { return Value(std::string(name(member))); }
template <typename T>
std::optional<Value> value_of(const std::optional<T>& member) {
  return member ? value_of(*member) : std::nullopt;
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
inline std::string show(const wire::MacAddress& v) { return show(wire::format(v)); }
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

// ---- the member that a path leads to: <&Endpoint::pacer, &PacerConfig::units_per_second> ----

template <typename Member>
struct OwnerOf;
template <typename S, typename T>
struct OwnerOf<T S::*> {
  using Section = S;
};

template <auto first, auto... rest, typename S>
auto& at(S& section) {
  if constexpr (sizeof...(rest) == 0)
    return section.*first;
  else
    return at<rest...>(section.*first);
}

// The file says a quantity in units of which each is `scale` of the member's: of a time in us and a
// member in ns, 1000.
template <int64_t scale, auto first, auto... rest>
struct MemberKey {
  using Section = typename OwnerOf<decltype(first)>::Section;
  static void store(Section& section, const Value& value) {
    auto& member = at<first, rest...>(section);
    if constexpr (scale == 1)
      assign(member, value);
    else
      assign(member, Value(std::get<int64_t>(value) * scale));
  }
  static std::string text(const Section& section) {
    const auto& member = at<first, rest...>(section);
    if constexpr (scale == 1)
      return show(member);
    else
      return show(member / scale);
  }
  static std::string default_text() { return text(initial<Section>()); }
  static std::optional<Value> value(const Section& section) {
    const auto& member = at<first, rest...>(section);
    if constexpr (scale == 1)
      return value_of(member);
    else
      return value_of(member / scale);
  }

  static KeyOf<Section> made(std::string_view name, std::string_view unit, Rule rule,
                             std::string_view help, Presence presence) {
    return {{name, unit, std::move(rule), presence, help, &default_text}, &store, &text, &value};
  }
};

// A key whose value is the member as it is.
template <auto... path>
auto key(std::string_view name, std::string_view unit, Rule rule, std::string_view help,
         Presence presence = Presence::kOptional) {
  return MemberKey<1, path...>::made(name, unit, std::move(rule), help, presence);
}
// A time, which the member holds in nanoseconds.
template <auto... path>
auto key_in_us(std::string_view name, Rule rule, std::string_view help) {
  return MemberKey<kNsPerUs, path...>::made(name, "us", std::move(rule), help, Presence::kOptional);
}
template <auto... path>
auto key_in_ms(std::string_view name, Rule rule, std::string_view help) {
  return MemberKey<kNsPerMs, path...>::made(name, "ms", std::move(rule), help, Presence::kOptional);
}

// The key with another way of storing: where its value is more than one member.
template <typename Section>
KeyOf<Section> stored_by(void (*store)(Section&, const Value&), KeyOf<Section> key) {
  key.store = store;
  return key;
}

}  // namespace lambdacast::config
