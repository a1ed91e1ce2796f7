#include "io/input/lammps_data.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "io/input/complaint.hpp"
#include "io/input/line_reader.hpp"
#include "io/input/number.hpp"
#include "io/input/row_numbers.hpp"
#include "io/input/start_builder.hpp"

namespace pencilbox {
namespace {

constexpr std::int64_t most_types = 1000;

std::string default_type_name(std::size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('A' + index))
                    : fmt::format("T{}", index + 1);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class LammpsReader {
 public:
  LammpsReader(std::string_view text, const std::string& name, const StartFileRequest& request)
      : lines_(text, name), bytes_(static_cast<std::int64_t>(text.size())), request_(request) {}

  StartState read() {
    if (lines_.next()) check_units();
    bool more = read_header();
    check_header();
    set_types();
    builder_.emplace(lines_.name(), box_, *atoms_);
    while (more) more = read_section();
    if (!seen_atoms_) complain(lines_.place("Atoms"), "section is missing", "", "Atoms");
    if (!seen_masses_ && request_.types.empty()) {
      complain(lines_.place("Masses"), "section is missing", "",
               "a Masses section, or types with their masses in the deck");
    }
    return builder_->finish(types_);
  }

 private:
  /// The title, as LAMMPS itself writes it, says in which units the file is.
  void check_units() const {
    constexpr std::string_view key = "units = ";
    const std::string_view title = lines_.line();
    const auto at = title.find(key);
    if (at == std::string_view::npos) return;
    const std::string_view rest = title.substr(at + key.size());
    const std::string_view units = rest.substr(0, rest.find_first_of(" ,"));
    if (units == "lj") return;
    complain(lines_.place("units"), "not reduced units", units,
             "lj: lengths divided by sigma, masses by the mass m of a particle, velocities by "
             "sqrt(epsilon/m), and 'units = lj' in the first line");
  }

  /// Reads up to the first section's name and stands on it; false if there is no section.
  bool read_header() {
    while (lines_.next_filled('#')) {
      if (is_letter(lines_.line().front())) return true;
      header_line(split(lines_.line()));
    }
    return false;
  }

  void header_line(const Words& words) {
    if (words.count == 2 && words[1] == "atoms") {
      set_once(atoms_, counted(words[0], "atoms", 1, std::numeric_limits<ParticleId>::max()),
               "atoms");
    } else if (words.count == 3 && words[1] == "atom" && words[2] == "types") {
      set_once(file_types_, counted(words[0], "atom types", 1, most_types), "atom types");
    } else if (words.count == 4 && words[2] == "xlo" && words[3] == "xhi") {
      set_side(0, words);
    } else if (words.count == 4 && words[2] == "ylo" && words[3] == "yhi") {
      set_side(1, words);
    } else if (words.count == 4 && words[2] == "zlo" && words[3] == "zhi") {
      set_side(2, words);
    } else if (words.count == 6 && words[3] == "xy") {
      refuse_tilt();
    } else if (!is_zero_count(words)) {
      complain(lines_.place("header"), "not a header line that is read", lines_.line(),
               "N atoms, N atom types, LO HI xlo xhi (ylo yhi, zlo zhi)");
    }
  }

  [[noreturn]] void refuse_tilt() const {
    complain(lines_.place("xy xz yz"), "triclinic boxes are not supported", lines_.line(),
             "an orthogonal box");
  }

  /// "0 bonds", "0 extra bond per atom": nothing that would be lost.
  static bool is_zero_count(const Words& words) {
    return words.count >= 2 && words[0] == "0" && is_letter(words[1].front());
  }

  std::int64_t counted(std::string_view word, std::string_view key, std::int64_t least,
                       std::int64_t most) const {
    const std::optional<std::int64_t> value = parse_integer(word);
    if (!value || *value < least || *value > most) {
      complain(lines_.place(key), value ? "out of range" : "not an integer", word,
               fmt::format("an integer from {} to {}", least, most));
    }
    return *value;
  }

  void set_once(std::optional<std::int64_t>& target, std::int64_t value,
                std::string_view key) const {
    if (target) complain(lines_.place(key), "given twice", lines_.line(), "each header line once");
    target = value;
  }

  void set_side(std::size_t d, const Words& words) {
    const std::string_view key = words[2];
    if (side_seen_[d]) {
      complain(lines_.place(key), "given twice", lines_.line(), "each header line once");
    }
    side_seen_[d] = true;
    const double low = real_in_row(lines_, key, words[0]);
    const double high = real_in_row(lines_, key, words[1]);
    set_box_side(box_, d, low, high, lines_.place(key));
  }

  void check_header() const {
    if (!atoms_) complain(lines_.place("header"), "line is missing", "", "N atoms");
    if (!file_types_) complain(lines_.place("header"), "line is missing", "", "N atom types");
    for (std::size_t d = 0; d < 3; ++d) {
      if (!side_seen_[d]) {
        const char name = static_cast<char>('x' + d);
        complain(lines_.place("header"), "line is missing", "",
                 fmt::format("LO HI {}lo {}hi", name, name));
      }
    }
    refuse_impossible_count(lines_, *atoms_, bytes_);
  }

  void set_types() {
    box_.periodic = request_.periodic;
    const auto count = static_cast<std::size_t>(*file_types_);
    types_ = request_.types;
    if (types_.empty()) {
      for (std::size_t i = 0; i < count; ++i) types_.push_back({default_type_name(i), 1.0});
    } else if (count > types_.size()) {
      complain(lines_.place("atom types"), "more types than the deck has",
               fmt::format("{} in the file", count),
               fmt::format("at most {}, as in system.types", types_.size()));
    }
  }

  /// Reads the section whose name is the current line; stands on the next one's, if there is one.
  bool read_section() {
    const std::string section(lines_.line());
    if (section == "Atoms") return read_atoms();
    if (section == "Velocities") return read_velocities();
    if (section == "Masses") return read_masses();
    if (section.rfind("Pair", 0) == 0) {
      complain(lines_.place(section), "pair coefficients are not read from a start file", section,
               "potential.pairs in the deck (write_data FILE nocoeff leaves the section out)");
    }
    complain(lines_.place("section"), "no section that is read", section,
             "Masses, Atoms, Velocities");
  }

  void open_section(std::string_view section, bool& seen) const {
    if (seen) complain(lines_.place(section), "section given twice", section, "each section once");
    seen = true;
  }

  /// Goes to the next of `count` rows, of which `done` are read.
  Words next_row(std::string_view section, std::int64_t done, std::int64_t count) {
    const bool there = lines_.next_filled('#');
    if (!there || is_letter(lines_.line().front())) {
      complain(lines_.place(section), there ? "too few rows" : "file ends too early",
               fmt::format("{} rows", done), fmt::format("{} rows", count));
    }
    return split(lines_.line());
  }

  /// Behind a section: the end, or the name of another.
  bool after_section(std::string_view section, std::int64_t count) {
    if (!lines_.next_filled('#')) return false;
    if (!is_letter(lines_.line().front())) {
      complain(lines_.place(section), "too many rows", lines_.line(),
               fmt::format("{} rows", count));
    }
    return true;
  }

  bool read_masses() {
    open_section("Masses", seen_masses_);
    std::vector<bool> given(static_cast<std::size_t>(*file_types_), false);
    for (std::int64_t row = 0; row < *file_types_; ++row) {
      const Words words = next_row("Masses", row, *file_types_);
      require_columns(lines_, "Masses", words, {2}, "type mass");
      const auto type = static_cast<std::size_t>(counted(words[0], "Masses", 1, *file_types_) - 1);
      if (given[type]) {
        complain(lines_.place("Masses"), "duplicate type", words[0], "each type once");
      }
      given[type] = true;
      set_mass(type, words[1]);
    }
    return after_section("Masses", *file_types_);
  }

  void set_mass(std::size_t type, std::string_view word) {
    const double mass = mass_in_row(lines_, "Masses", word);
    const bool given = !request_.types.empty() && request_.gives_mass(type);
    if (given && request_.types[type].mass != mass) {
      complain(lines_.place("Masses"), "disagrees with the deck",
               fmt::format("mass {} of type {}", mass, request_.types[type].name),
               fmt::format("{}, as in system.types", request_.types[type].mass));
    }
    types_[type].mass = mass;
  }

  bool read_atoms() {
    open_section("Atoms", seen_atoms_);
    if (!lines_.comment().empty() && lines_.comment() != "atomic") {
      complain(lines_.place("Atoms"), "atom style is not read", lines_.comment(),
               "atomic (id type x y z, perhaps three image flags)");
    }
    for (std::int64_t row = 0; row < *atoms_; ++row) {
      const Words words = next_row("Atoms", row, *atoms_);
      require_columns(lines_, "Atoms", words, {5, 8}, "id type x y z, perhaps three image flags");
      const std::int64_t id = integer_in_row(lines_, "Atoms", words[0]);
      builder_->add_particle({lines_.number(), "Atoms"}, id, type_of(words[1], id),
                             vector_in_row(lines_, "Atoms", words, 2),
                             words.count == 8 ? image_in_row(lines_, "Atoms", words, 5) : Image{});
    }
    return after_section("Atoms", *atoms_);
  }

  std::int32_t type_of(std::string_view word, std::int64_t id) const {
    const std::optional<std::int64_t> type = parse_integer(word);
    if (!type || *type < 1 || *type > *file_types_) {
      complain(lines_.place("Atoms"), "type out of range",
               fmt::format("type {} of id {}", word, id), fmt::format("1 to {}", *file_types_));
    }
    return static_cast<std::int32_t>(*type - 1);
  }

  bool read_velocities() {
    open_section("Velocities", seen_velocities_);
    for (std::int64_t row = 0; row < *atoms_; ++row) {
      const Words words = next_row("Velocities", row, *atoms_);
      require_columns(lines_, "Velocities", words, {4}, "id vx vy vz");
      builder_->add_velocity({lines_.number(), "Velocities"},
                             integer_in_row(lines_, "Velocities", words[0]),
                             vector_in_row(lines_, "Velocities", words, 1));
    }
    return after_section("Velocities", *atoms_);
  }

  LineReader lines_;
  std::int64_t bytes_;
  const StartFileRequest& request_;
  std::optional<std::int64_t> atoms_;
  std::optional<std::int64_t> file_types_;
  Box box_;
  std::array<bool, 3> side_seen_{};
  std::vector<ParticleType> types_;
  std::optional<StartBuilder> builder_;
  bool seen_atoms_ = false;
  bool seen_velocities_ = false;
  bool seen_masses_ = false;
};

}  // namespace

StartState read_lammps_data(std::string_view text, const std::string& name,
                            const StartFileRequest& request) {
  return LammpsReader(text, name, request).read();
}

}  // namespace pencilbox
