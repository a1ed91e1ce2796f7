#include "app/commands/deck_file.hpp"

#include <fstream>
#include <sstream>

#include "io/output/file.hpp"
#include "io/output/provenance.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "deck.yaml";

/// What stands in a regular file; nothing else is read.
std::string text_of(const fs::path& path) {
  if (is_other_than_a_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The head of an untouched file fits what stands behind its two lines.
bool is_as_a_run_wrote_it(const std::string& text) {
  const std::size_t first = text.find('\n');
  const std::size_t second = first == std::string::npos ? first : text.find('\n', first + 1);
  return second != std::string::npos && text == deck_file_text(text.substr(second + 1));
}

}  // namespace

std::string deck_file_text(const std::string& resolved_deck) {
  return "# " + hash_of(resolved_deck) +
         "\n# The deck of a run with every default in it; this line and the one above are not "
         "hashed.\n" +
         resolved_deck;
}

bool write_deck_file(const fs::path& directory, const std::string& resolved_deck) {
  const fs::path path = directory / name;
  const std::string text = deck_file_text(resolved_deck);
  if (is_there(path)) {
    const std::string found = text_of(path);
    if (found == text) return true;
    if (!is_as_a_run_wrote_it(found)) return false;
  }
  replace_file(path, text);
  return true;
}

}  // namespace pencilbox
