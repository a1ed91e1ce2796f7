// The thermodynamic rows of a run: thermo.csv for programs, a table for people. Both show the same
// columns, energies per particle, reduced Lennard-Jones units.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>

#include "core/observation.hpp"
#include "io/output/file.hpp"
#include "io/output/terminal.hpp"

namespace pencilbox {

/// Where the box changes its volume and the density are columns too.
enum class ThermoColumns { of_a_fixed_box, of_a_box_that_changes };

/// Writes thermo.csv: `step,time,temperature,kinetic_energy,potential_energy,total_energy,
/// conserved_energy,pressure`, and where the box changes `volume,density`; 17 significant digits,
/// so that reading a number gives the same double; an undefined pressure is `nan`. Each row is
/// handed to the system at once. Throws SystemError; a row that does not fit on the disk is taken
/// back, the rows before stay.
class ThermoLog {
 public:
  /// Creates `path`, or empties it, and writes the header.
  explicit ThermoLog(const std::filesystem::path& path,
                     ThermoColumns columns = ThermoColumns::of_a_fixed_box);

  /// Goes on with the rows that an earlier run left in `path`. Rows later than `step`, and one that
  /// a kill cut in the middle, are taken off by the first append; until then nothing is changed.
  /// Throws InputError, one line with file and line, if the file is not there or not such a log.
  static ThermoLog resume(const std::filesystem::path& path, std::int64_t step,
                          ThermoColumns columns = ThermoColumns::of_a_fixed_box);

  /// The step of the last row that is kept; -1 where there is none.
  std::int64_t last_step() const { return last_step_; }

  void append(const Observation& observation);
  /// Waits until the disk has all rows.
  void sync();
  void close();

 private:
  ThermoLog(OutputFile file, std::int64_t size, std::int64_t last_step, ThermoColumns columns);
  void write_line(std::string_view line);

  OutputFile file_;
  std::int64_t size_ = 0;
  std::int64_t last_step_ = -1;
  ThermoColumns columns_ = ThermoColumns::of_a_fixed_box;
  bool has_tail_ = false;  ///< the file goes on behind `size_`
};

/// How the table is shown; by default as in a file.
struct ThermoTableStyle {
  bool repeat_header = false;  ///< before every 20 rows, for a terminal where it scrolls away
  bool in_bold = false;        ///< the header
  /// Columns of text that there are: asked before each row, since a terminal may change.
  std::function<std::size_t()> width = [] { return usual_width; };
  bool box_changes = false;  ///< the density in place of the kinetic energy
};

/// Prints the rows as an aligned table of at most 80 columns of text, or of 124 where there is
/// room: then with long names and more digits. In a narrower terminal columns are left out, those
/// that can be told from the others first; thermo.csv has them all.
class ThermoTable {
 public:
  explicit ThermoTable(std::ostream& out, ThermoTableStyle style = {});

  /// Prints a row, after the header where one is due. Throws SystemError if the stream does not
  /// take it.
  void append(const Observation& observation);

 private:
  std::ostream& out_;
  ThermoTableStyle style_;
  std::int64_t rows_ = 0;  ///< below the last header
  std::size_t columns_ = 0;
};

}  // namespace pencilbox
