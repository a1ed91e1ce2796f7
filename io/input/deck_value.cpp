#include "io/input/deck_value.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace pencilbox {
namespace {

/// Takes the first word of a dotted path off and returns it.
std::string_view take_word(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view word = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  return word;
}

/// The entry of a list with the number that `index` begins with: "1]".
const DeckValue* entry_of(const DeckValue& value, std::string_view index) {
  const auto* list = std::get_if<DeckValue::List>(&value.data);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
  const bool is_there = list != nullptr && error == std::errc{} && number < list->size();
  return is_there ? &(*list)[number] : nullptr;
}

const DeckValue* child_of(const DeckValue& value, std::string_view name) {
  const auto* section = std::get_if<DeckValue::Section>(&value.data);
  if (section == nullptr) return nullptr;
  const std::size_t bracket = name.find('[');
  for (const auto& [key, child] : *section) {
    if (key != name.substr(0, bracket)) continue;
    return bracket == std::string_view::npos ? &child : entry_of(child, name.substr(bracket + 1));
  }
  return nullptr;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

bool is_word(const std::string& text) {
  static constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static constexpr std::string_view more = "0123456789_-";
  return !text.empty() && letters.find(text.front()) != std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return letters.find(c) != std::string_view::npos ||
                  more.find(c) != std::string_view::npos;
         });
}

/// Words that YAML readers take for something else than text.
bool is_reserved(const std::string& text) {
  static constexpr std::string_view words[] = {"null", "true", "false", "yes", "no",
                                               "on",   "off",  "y",     "n"};
  std::string lower;
  std::transform(text.begin(), text.end(), std::back_inserter(lower),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(std::begin(words), std::end(words), lower) != std::end(words);
}

class YamlWriter {
 public:
  std::string take() { return std::move(out_); }

  void block(const DeckValue::Section& section, int indent) {
    for (const auto& [key, value] : section) {
      out_ += fmt::format("{:{}}{}:", "", indent, key);
      const auto* inner = std::get_if<DeckValue::Section>(&value.data);
      if (inner != nullptr && !inner->empty()) {
        out_ += '\n';
        block(*inner, indent + 2);
      } else {
        out_ += ' ';
        flow(value);
        out_ += '\n';
      }
    }
  }

  void flow(const DeckValue& value) {
    std::visit([this](const auto& data) { write(data); }, value.data);
  }

 private:
  void write(bool value) { out_ += value ? "true" : "false"; }
  void write(std::int64_t value) { out_ += fmt::format("{}", value); }
  void write(double value) { out_ += fmt::format("{}", value); }
  void write(const std::string& value) {
    out_ += is_word(value) && !is_reserved(value) ? value : quoted(value);
  }
  void write(const DeckValue::List& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      flow(list[i]);
    }
    out_ += ']';
  }
  void write(const DeckValue::Section& section) {
    out_ += '{';
    for (std::size_t i = 0; i < section.size(); ++i) {
      out_ += fmt::format("{}{}: ", i > 0 ? ", " : "", section[i].first);
      flow(section[i].second);
    }
    out_ += '}';
  }

  std::string out_;
};

}  // namespace

const DeckValue* DeckValue::find(std::string_view path) const {
  const DeckValue* value = this;
  while (!path.empty() && value != nullptr) value = child_of(*value, take_word(path));
  return value;
}

DeckValue* DeckValue::find(std::string_view path) {
  return const_cast<DeckValue*>(std::as_const(*this).find(path));
}

const DeckValue& DeckValue::at(std::string_view path) const {
  if (const DeckValue* value = find(path)) return *value;
  throw std::logic_error("no such key in a resolved deck: " + std::string(path));
}

Origin DeckValue::origin_of(std::string_view path) const {
  const DeckValue* innermost = this;
  while (!path.empty()) {
    const DeckValue* child = child_of(*innermost, take_word(path));
    if (child == nullptr) break;
    innermost = child;
  }
  return innermost->origin;
}

std::string to_yaml(const DeckValue& root) {
  YamlWriter writer;
  writer.block(std::get<DeckValue::Section>(root.data), 0);
  return writer.take();
}

std::string to_flow_yaml(const DeckValue& value) {
  YamlWriter writer;
  writer.flow(value);
  return writer.take();
}

}  // namespace pencilbox
