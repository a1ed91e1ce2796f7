#include "io/input/extended_xyz.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "io/input/complaint.hpp"
#include "io/input/line_reader.hpp"
#include "io/input/name.hpp"
#include "io/input/number.hpp"
#include "io/input/row_numbers.hpp"
#include "io/input/start_builder.hpp"

namespace pencilbox {
namespace {

/// First column of each property; nothing where it is absent.
struct Columns {
  std::optional<std::size_t> species;
  std::optional<std::size_t> position;
  std::optional<std::size_t> velocity;
  std::optional<std::size_t> id;
  std::optional<std::size_t> image;
  std::optional<std::size_t> mass;
  std::size_t count = 0;
};

constexpr std::string_view known_properties =
    "species:S:1, pos:R:3, velo:R:3, image:I:3, masses:R:1 and id:I:1, in any order";

class XyzReader {
 public:
  XyzReader(std::string_view text, const std::string& name, const StartFileRequest& request)
      : lines_(text, name),
        bytes_(static_cast<std::int64_t>(text.size())),
        request_(request),
        types_(request.types) {}

  StartState read() {
    const std::int64_t count = read_count();
    refuse_impossible_count(lines_, count, bytes_);
    if (!lines_.next()) complain(lines_.place("comment"), "file ends too early", "", "a comment");
    read_comment(lines_.line());
    StartBuilder builder(lines_.name(), box_, count);
    for (std::int64_t row = 0; row < count; ++row) read_row(builder, row, count);
    refuse_more_rows(count);
    return builder.finish(types_);
  }

 private:
  std::int64_t read_count() {
    constexpr std::int64_t most = std::numeric_limits<ParticleId>::max();
    lines_.next();
    const std::string_view word = trimmed(lines_.line());
    const std::optional<std::int64_t> count = parse_integer(word);
    if (!count || *count < 1 || *count > most) {
      complain(lines_.place("atoms"), count ? "out of range" : "not a number of atoms",
               word.empty() ? "an empty line" : word, fmt::format("an integer from 1 to {}", most));
    }
    return *count;
  }

  /// The comment line's key=value words; values may be quoted.
  std::map<std::string, std::string> comment_words(std::string_view line) const {
    std::map<std::string, std::string> words;
    line = trimmed(line);
    while (!line.empty()) {
      const std::size_t stop = line.find_first_of("= \t");
      const std::string key(line.substr(0, stop));
      std::string value;
      line = stop == std::string_view::npos ? std::string_view{} : line.substr(stop);
      if (!line.empty() && line.front() == '=') value = take_value(line.substr(1), line, key);
      if (!words.emplace(key, value).second) {
        complain(lines_.place(key), "given twice", key, "each key once");
      }
      line = trimmed(line);
    }
    return words;
  }

  /// The value at the front of `text`, quoted or a word; `rest` becomes what follows it.
  std::string take_value(std::string_view text, std::string_view& rest,
                         const std::string& key) const {
    const bool quoted = !text.empty() && (text.front() == '"' || text.front() == '\'');
    const std::string stops = quoted ? std::string(1, text.front()) : std::string(" \t");
    if (quoted) text.remove_prefix(1);
    const std::size_t stop = text.find_first_of(stops);
    if (quoted && stop == std::string_view::npos) {
      complain(lines_.place(key), "quote is not closed", text, "a closing quote");
    }
    rest =
        stop == std::string_view::npos ? std::string_view{} : text.substr(stop + (quoted ? 1 : 0));
    return std::string(text.substr(0, stop));
  }

  void read_comment(std::string_view line) {
    const std::map<std::string, std::string> words = comment_words(line);
    const auto lattice = words.find("Lattice");
    if (lattice == words.end()) {
      complain(lines_.place("Lattice"), "missing key", "",
               "Lattice=\"ax 0 0 0 by 0 0 0 cz\" in the comment line");
    }
    const auto origin = words.find("Origin");
    set_box(lattice->second, origin == words.end() ? "0 0 0" : origin->second);
    if (const auto pbc = words.find("pbc"); pbc != words.end()) check_boundary(pbc->second);
    const auto properties = words.find("Properties");
    set_columns(properties == words.end() ? "species:S:1:pos:R:3" : properties->second);
  }

  void set_box(std::string_view lattice, std::string_view origin) {
    const Words cell = split(lattice);
    require_columns(lines_, "Lattice", cell, {9}, "three vectors of three");
    const Words corner = split(origin);
    require_columns(lines_, "Origin", corner, {3}, "x y z");
    for (std::size_t i = 0; i < 9; ++i) {
      if (i % 4 != 0 && real_in_row(lines_, "Lattice", cell[i]) != 0.0) {
        complain(lines_.place("Lattice"), "triclinic boxes are not supported", lattice,
                 "an orthogonal box: ax 0 0 0 by 0 0 0 cz");
      }
    }
    box_.periodic = request_.periodic;
    for (std::size_t d = 0; d < 3; ++d) {
      const double edge = real_in_row(lines_, "Lattice", cell[4 * d]);
      set_box_side(box_, d, 0.0, edge, lines_.place("Lattice"));
      // The edge as written: lower + edge - lower would lose its last digit.
      box_.lower[d] = real_in_row(lines_, "Origin", corner[d]);
      require_box_corner(box_.lower[d], lines_.place("Origin"));
    }
  }

  void check_boundary(std::string_view pbc) const {
    const Words words = split(pbc);
    require_columns(lines_, "pbc", words, {3}, "T or F for x, y and z");
    for (std::size_t d = 0; d < 3; ++d) {
      const bool periodic = words[d] == "T" || words[d] == "True" || words[d] == "1";
      if (!periodic && words[d] != "F" && words[d] != "False" && words[d] != "0") {
        complain(lines_.place("pbc"), "not T or F", words[d], "T or F for x, y and z");
      }
      if (periodic != request_.periodic[d]) {
        complain(lines_.place("pbc"), "disagrees with the deck", pbc,
                 fmt::format("{} {} {}, as in system.boundary", letter(0), letter(1), letter(2)));
      }
    }
  }

  char letter(std::size_t d) const { return request_.periodic[d] ? 'T' : 'F'; }

  void set_columns(std::string_view properties) {
    std::size_t width = 0;
    while (!properties.empty()) {
      const std::string_view name = take_field(properties);
      const std::string_view kind = take_field(properties);
      const std::string_view size = take_field(properties);
      const std::string property = fmt::format("{}:{}:{}", name, kind, size);
      std::optional<std::size_t>* column = property == "species:S:1"  ? &columns_.species
                                           : property == "pos:R:3"    ? &columns_.position
                                           : property == "velo:R:3"   ? &columns_.velocity
                                           : property == "id:I:1"     ? &columns_.id
                                           : property == "image:I:3"  ? &columns_.image
                                           : property == "masses:R:1" ? &columns_.mass
                                                                      : nullptr;
      if (column == nullptr || column->has_value()) {
        complain(lines_.place("Properties"),
                 column == nullptr ? "not a property that is read" : "property given twice",
                 property, known_properties);
      }
      *column = width;
      width += size == "3" ? 3 : 1;
    }
    columns_.count = width;
    if (!columns_.species || !columns_.position) {
      complain(lines_.place("Properties"), "a property is missing", "", known_properties);
    }
  }

  static std::string_view take_field(std::string_view& text) {
    const std::size_t colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    return field;
  }

  void read_row(StartBuilder& builder, std::int64_t row, std::int64_t count) {
    if (!lines_.next() || trimmed(lines_.line()).empty()) {
      complain(lines_.place("atoms"), "file ends too early", fmt::format("{} rows", row),
               fmt::format("{} rows", count));
    }
    const Words words = split(lines_.line());
    require_columns(lines_, "atoms", words, {columns_.count}, "as in Properties");
    const std::int64_t id =
        columns_.id ? integer_in_row(lines_, "id", words[*columns_.id]) : row + 1;
    const std::int32_t type = type_of(words[*columns_.species], id);
    if (columns_.mass) check_mass(static_cast<std::size_t>(type), words[*columns_.mass]);
    builder.add_particle(
        {lines_.number(), "pos"}, id, type, vector_in_row(lines_, "pos", words, *columns_.position),
        columns_.image ? image_in_row(lines_, "image", words, *columns_.image) : Image{});
    if (columns_.velocity) {
      builder.add_velocity({lines_.number(), "velo"}, id,
                           vector_in_row(lines_, "velo", words, *columns_.velocity));
    }
  }

  std::int32_t type_of(std::string_view species, std::int64_t id) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].name == species) return static_cast<std::int32_t>(i);
    }
    if (!request_.types.empty()) {
      std::vector<std::string> names;
      for (const ParticleType& type : types_) names.push_back(type.name);
      complain(lines_.place("species"), "no such type in the deck",
               fmt::format("{} of id {}", species, id), fmt::format("{}", fmt::join(names, ", ")));
    }
    if (types_.size() == most_species) {
      complain(lines_.place("species"), "too many species", species,
               fmt::format("at most {}", most_species));
    }
    if (!is_name(species)) {
      complain(lines_.place("species"), "not a name", fmt::format("{} of id {}", species, id),
               what_a_name_is);
    }
    types_.push_back({std::string(species), 1.0});
    return static_cast<std::int32_t>(types_.size() - 1);
  }

  /// A type has one mass: that of its first row or, where the deck has types, the deck's.
  void check_mass(std::size_t type, std::string_view word) {
    const double mass = mass_in_row(lines_, "masses", word);
    for (std::size_t t = weighed_.size(); t < types_.size(); ++t) {
      weighed_.push_back(!request_.types.empty() && request_.gives_mass(t));
    }
    if (!weighed_[type]) types_[type].mass = mass;
    weighed_[type] = true;
    if (types_[type].mass == mass) return;
    complain(lines_.place("masses"),
             request_.types.empty() ? "another mass of one species" : "disagrees with the deck",
             fmt::format("mass {} of type {}", mass, types_[type].name),
             fmt::format("{}, as {}", types_[type].mass,
                         request_.types.empty() ? "above" : "in system.types"));
  }

  /// Behind the frame: the end, or the count of another frame.
  void refuse_more_rows(std::int64_t count) {
    if (lines_.next_filled(0) && !parse_integer(lines_.line())) {
      complain(lines_.place("atoms"), "more rows than the first line says", lines_.line(),
               fmt::format("{} rows", count));
    }
  }

  static constexpr std::size_t most_species = 1000;

  LineReader lines_;
  std::int64_t bytes_;
  const StartFileRequest& request_;
  std::vector<ParticleType> types_;
  std::vector<bool> weighed_;  // whose mass is known
  Box box_;
  Columns columns_;
};

}  // namespace

StartState read_extended_xyz(std::string_view text, const std::string& name,
                             const StartFileRequest& request) {
  return XyzReader(text, name, request).read();
}

}  // namespace pencilbox
