#include "io/input/pair_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/input/complaint.hpp"
#include "io/input/line_reader.hpp"
#include "io/input/row_numbers.hpp"
#include "io/input/text_file.hpp"
#include "io/output/provenance.hpp"

namespace pencilbox {
namespace {

constexpr std::uintmax_t largest_file = 64U << 20;
constexpr std::size_t fewest_rows = 4, most_rows = 1'000'000;

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : lines_(text, name) {}

  PairTable read() {
    read_header();
    while (lines_.next_filled('#')) read_row();
    if (r_.size() < fewest_rows) {
      complain(lines_.name(), "too few rows", fmt::format("{}", r_.size()),
               fmt::format("at least {}", fewest_rows));
    }
    PairTable table{r_.front(), (r_.back() - r_.front()) / static_cast<double>(r_.size() - 1),
                    r_.back(), std::move(energy_), std::move(force_)};
    require_even_rows(table);
    require_agreement(table);
    return table;
  }

 private:
  void read_header() {
    const bool there = lines_.next_filled('#');
    const Words words = split(lines_.line());
    if (there && words.count == 3 && words[0] == "r" && words[1] == "energy" &&
        words[2] == "force") {
      return;
    }
    complain(
        there ? lines_.place() : lines_.name(), "no head of a table", lines_.line(),
        "r,energy,force (lengths in sigma, energies in epsilon, force = -du/dr), then the rows");
  }

  void read_row() {
    const Words words = split(lines_.line());
    require_columns(lines_, "row", words, {3}, "r energy force");
    const double r = real_in_row(lines_, "r", words[0]);
    if (r_.empty() ? r <= 0.0 : r <= r_.back()) {
      complain(lines_.place("r"), r_.empty() ? "not a distance" : "rows out of order",
               fmt::format("{}", r), fmt::format("more than {}", r_.empty() ? 0.0 : r_.back()));
    }
    if (r_.size() == most_rows) {
      complain(lines_.place(), "too many rows", "", fmt::format("at most {}", most_rows));
    }
    r_.push_back(r);
    energy_.push_back(real_in_row(lines_, "energy", words[1]));
    force_.push_back(real_in_row(lines_, "force", words[2]));
    line_.push_back(lines_.number());
  }

  std::string place(std::size_t row, std::string_view key) const {
    return fmt::format("{}:{}: {}", lines_.name(), line_[row], key);
  }

  /// A row is taken for what stands at its even place, so digits that are missing count as force
  /// times what they are off.
  void require_even_rows(const PairTable& table) const {
    constexpr double share_of_spacing = 1e-3;
    for (std::size_t k = 0; k < r_.size(); ++k) {
      const double even = table.first + static_cast<double>(k) * table.spacing;
      if (std::abs(r_[k] - even) <= share_of_spacing * table.spacing) continue;
      complain(place(k, "r"), "rows are not evenly spaced", fmt::format("{}", r_[k]),
               fmt::format("{:.10g}: {} rows from {} to {}, to a thousandth of their distance",
                           even, r_.size(), table.first, r_.back()));
    }
  }

  /// Between two rows the energy falls by the integral of the force: by a rule of fourth order over
  /// the rows around them. A wrong sign, unit or column is off by as much as the force itself.
  void require_agreement(const PairTable& table) const {
    constexpr double share_of_force = 0.05, last_digits = 1e-5;
    const std::size_t rows = table.energy.size();
    double scale = 0.0;  // of energies that are no part of the core
    for (std::size_t k = rows / 2; k < rows; ++k) {
      scale = std::max(scale, std::abs(table.energy[k]));
    }
    for (std::size_t k = 1; k + 2 < rows; ++k) {
      const double* f = table.force.data() + k - 1;
      const double work = table.spacing / 24.0 * (-f[0] + 13.0 * f[1] + 13.0 * f[2] - f[3]);
      const double fall = table.energy[k] - table.energy[k + 1];
      const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
      const double most = table.spacing * std::abs(*std::max_element(f, f + 4, larger));
      const double rounding =
          last_digits * std::max(scale, std::abs(table.energy[k]) + std::abs(table.energy[k + 1]));
      if (std::abs(fall - work) <= share_of_force * most + rounding) continue;
      complain(place(k, "force"), "energy and force contradict each other",
               fmt::format("an energy that falls by {:.6g} to the next row", fall),
               fmt::format("{:.6g} by the forces, or rows nearer to each other", work));
    }
  }

  LineReader lines_;
  std::vector<double> r_, energy_, force_;
  std::vector<int> line_;  ///< of each row
};

}  // namespace

PairTable parse_pair_table(std::string text, const std::string& name) {
  require_text(text, name, pair_table_kind);
  std::replace(text.begin(), text.end(), ',', ' ');
  return Reader(text, name).read();
}

PairTable read_pair_table(const std::filesystem::path& path, const std::string& hash) {
  std::string text = read_text_file(path, pair_table_kind, largest_file);
  if (const std::string found = hash_of(text); found != hash) {
    complain(path.string(), "another table than the deck's hash says", found, hash);
  }
  return parse_pair_table(std::move(text), path.string());
}

std::string hash_of_pair_table(const std::filesystem::path& path) {
  return hash_of(read_text_file(path, pair_table_kind, largest_file));
}

}  // namespace pencilbox
