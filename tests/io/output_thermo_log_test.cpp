// thermo.csv gives back the very doubles; the table lines up.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/terminal.hpp"
#include "io/output/thermo_log.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

Observation awkward_row(int i) {
  Observation sums;
  sums.step = 9007199254740993 + i;  // not a double
  sums.time = 0.1 * i;
  sums.particles = 1;
  sums.temperature = 1.0 / 3.0 * i;
  sums.kinetic_energy = std::nextafter(1.0, 2.0);
  sums.potential_energy = -6.02214076e23 / 7.0;
  sums.conserved_energy = 2.0 / 7.0;
  sums.pressure =
      i == 1 ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<double>::quiet_NaN();
  return sums;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

TEST(ThermoLog, EveryNumberIsReadBackExactly) {
  const TemporaryFolder folder;
  ThermoLog log(folder / "thermo.csv");
  for (int i = 0; i < 3; ++i) log.append(awkward_row(i));
  log.close();

  const auto lines = split(read_text(folder / "thermo.csv"), '\n');
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "step,time,temperature,kinetic_energy,potential_energy,total_energy,conserved_energy,"
            "pressure");
  for (int i = 0; i < 3; ++i) {
    const Observation sums = awkward_row(i);
    const auto cells = split(lines[static_cast<std::size_t>(i) + 1], ',');
    ASSERT_EQ(cells.size(), 8U);
    EXPECT_EQ(std::stoll(cells[0]), sums.step);
    const auto number = [&](std::size_t k) { return std::strtod(cells[k].c_str(), nullptr); };
    EXPECT_EQ(number(1), sums.time);
    EXPECT_EQ(number(2), sums.temperature);
    EXPECT_EQ(number(3), sums.kinetic_energy);
    EXPECT_EQ(number(4), sums.potential_energy);
    EXPECT_EQ(number(5), sums.total_energy());
    EXPECT_EQ(number(6), sums.conserved_energy);
    if (i == 1) {
      EXPECT_EQ(number(7), sums.pressure);
    } else {
      EXPECT_EQ(cells[7], "nan");
    }
  }
}

TEST(ThermoLog, EnergiesArePerParticle) {
  const TemporaryFolder folder;
  Observation sums;
  sums.particles = 4;
  sums.kinetic_energy = 6.0;
  sums.potential_energy = -14.0;
  sums.conserved_energy = -12.0;
  ThermoLog log(folder / "thermo.csv");
  log.append(sums);
  EXPECT_EQ(split(read_text(folder / "thermo.csv"), '\n').at(1), "0,0,0,1.5,-3.5,-2,-3,0");
}

TEST(ThermoLog, HasTheVolumeWhereItChanges) {
  const TemporaryFolder folder;
  Observation sums;
  sums.particles = 2;
  sums.volume = 16.0;
  const ThermoColumns columns = ThermoColumns::of_a_box_that_changes;
  ThermoLog(folder / "thermo.csv", columns).append(sums);
  const auto lines = split(read_text(folder / "thermo.csv"), '\n');
  EXPECT_TRUE(lines.at(0).ends_with(",pressure,volume,density")) << lines.at(0);
  EXPECT_EQ(lines.at(1), "0,0,0,0,0,0,0,0,16,0.125");
  EXPECT_EQ(ThermoLog::resume(folder / "thermo.csv", 0, columns).last_step(), 0);
  EXPECT_THROW((void)ThermoLog::resume(folder / "thermo.csv", 0), InputError);
}

TEST(ThermoLog, ARowIsThereAtOnce) {
  const TemporaryFolder folder;
  ThermoLog log(folder / "thermo.csv");
  for (std::size_t i = 1; i <= 3; ++i) {
    log.append(awkward_row(1));
    EXPECT_EQ(split(read_text(folder / "thermo.csv"), '\n').size(), i + 1);
  }
}

TEST(ThermoLog, AFullDiskIsAnErrorThatLeavesWholeRows) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    constexpr rlimit limit{1000, 1000};  // in the middle of a row
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      ThermoLog log(folder / "thermo.csv");
      for (int i = 0; i < 100; ++i) log.append(awkward_row(i));
    } catch (const SystemError& error) {
      std::exit(std::string(error.what()).ends_with("thermo.csv: File too large") ? 0 : 1);
    }
    std::exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const std::string text = read_text(folder / "thermo.csv");
  EXPECT_TRUE(text.ends_with(",nan\n"));
  EXPECT_LT(text.size(), 1000U);
  EXPECT_GT(split(text, '\n').size(), 5U);
}

/// Steps 0, 10, 20, 30.
std::string four_rows(const std::filesystem::path& path) {
  ThermoLog log(path);
  for (int i = 0; i < 4; ++i) {
    Observation row = awkward_row(i);
    row.step = 10 * i;
    log.append(row);
  }
  return read_text(path);
}

TEST(ThermoLog, GoesOnFromAStep) {
  const TemporaryFolder folder;
  const std::string whole = four_rows(folder / "thermo.csv");
  for (const std::string cut : {"", "30,0.5,1", "3"}) {  // a row that a kill has cut
    std::ofstream(folder / "thermo.csv", std::ios::app) << cut;
    const std::string before = read_text(folder / "thermo.csv");
    ThermoLog log = ThermoLog::resume(folder / "thermo.csv", 15);
    EXPECT_EQ(read_text(folder / "thermo.csv"), before) << "nothing is cut before the first row";
    for (const int i : {2, 3}) {
      Observation row = awkward_row(i);
      row.step = 10 * i;
      log.append(row);
    }
    log.close();
    EXPECT_EQ(read_text(folder / "thermo.csv"), whole);
  }
}

TEST(ThermoLog, DoesNotGoOnWithWhatIsNoLog) {
  const TemporaryFolder folder;
  const std::string whole = four_rows(folder / "thermo.csv");
  const auto refusal = [&](const std::string& content) {
    std::ofstream(folder / "thermo.csv") << content;
    try {
      (void)ThermoLog::resume(folder / "thermo.csv", 100);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("mine\n").find("thermo.csv:1: is not the header"), std::string::npos);
  EXPECT_NE(refusal("").find("thermo.csv:1: is not the header"), std::string::npos);
  const std::string header = whole.substr(0, whole.find('\n'));
  EXPECT_NE(refusal(header).find("thermo.csv:1: is not the header"), std::string::npos) << "cut";
  EXPECT_NE(refusal(whole + "x\n").find("thermo.csv:6: is not a row"), std::string::npos);
  EXPECT_NE(refusal(whole + "40\n").find("thermo.csv:6: is not a row"), std::string::npos);
  EXPECT_EQ(refusal(whole), "");
  std::filesystem::remove(folder / "thermo.csv");
  EXPECT_THROW((void)ThermoLog::resume(folder / "thermo.csv", 1), InputError);
}

TEST(ThermoLog, NamesTheFileItCannotMake) {
  EXPECT_THROW(ThermoLog("/nonexistent/thermo.csv"), SystemError);
}

TEST(ThermoTable, LinesUpAndHasOneHeaderInAPipe) {
  std::ostringstream out;
  ThermoTable table(out);
  for (int i = 0; i < 45; ++i) table.append(awkward_row(i));
  const auto lines = split(out.str(), '\n');
  ASSERT_EQ(lines.size(), 46U);
  EXPECT_NE(lines[0].find(" total "), std::string::npos);
  EXPECT_LE(lines[0].size(), 80U);
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size());
}

Observation ordinary_row(int i) {
  Observation sums = awkward_row(i);
  sums.step = 100 * i;
  sums.potential_energy = -6.7733680532;
  return sums;
}

TEST(ThermoTable, FollowsTheTerminal) {
  std::ostringstream out;
  std::size_t width = 124;
  ThermoTable table(out, {false, false, [&] { return width; }});
  const auto lines_in = [&](std::size_t columns) {
    width = columns;
    out.str({});
    table.append(ordinary_row(7));
    table.append(ordinary_row(8));
    return split(out.str(), '\n');
  };
  const auto wide = lines_in(124);
  ASSERT_EQ(wide.size(), 3U);  // a header each time that the columns change
  EXPECT_EQ(wide[0].size(), 124U);
  EXPECT_NE(wide[0].find("total_energy"), std::string::npos);
  EXPECT_EQ(lines_in(123)[1].size(), 79U);
  EXPECT_EQ(lines_in(100).size(), 2U);
  for (const std::size_t columns : {70U, 60U, 50U, 40U, 25U}) {
    const auto narrow = lines_in(columns);
    ASSERT_EQ(narrow.size(), 3U) << columns;
    EXPECT_NE(narrow[0].find("total"), std::string::npos) << narrow[0];
    for (const std::string& line : narrow) EXPECT_LE(line.size(), columns) << line;
  }
}

TEST(ThermoTable, ShowsTheDensityWhereItChanges) {
  std::ostringstream out;
  ThermoTable table(out, {.box_changes = true});
  Observation sums;
  sums.particles = 2;
  sums.volume = 16.0;
  table.append(sums);
  EXPECT_NE(out.str().find("density"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find(" 0.125"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("kinetic"), std::string::npos) << out.str();
}

TEST(ThermoTable, IsBoldOnlyInItsHeader) {
  std::ostringstream out;
  ThermoTableStyle style;
  style.in_bold = true;
  ThermoTable table(out, style);
  table.append(awkward_row(0));
  const auto lines = split(out.str(), '\n');
  EXPECT_TRUE(lines[0].starts_with("\033[1m") && lines[0].ends_with("\033[0m")) << lines[0];
  EXPECT_EQ(lines[1].find('\033'), std::string::npos);
}

/// A terminal of its own; -1 where there is none to be had.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    descriptor = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    ::close(descriptor);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int descriptor = -1;

 private:
  int master_;
};

TEST(Terminals, WantColourUnlessTheySayNo) {
  const Terminal terminal;
  ASSERT_GE(terminal.descriptor, 0);
  const winsize size{40, 123, 0, 0};
  ASSERT_EQ(::ioctl(terminal.descriptor, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_width(terminal.descriptor), 123U);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_colour(terminal.descriptor));
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(wants_colour(terminal.descriptor));  // only what is not empty counts
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(terminal.descriptor));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colour(terminal.descriptor));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ::setenv("TERM", "xterm", 1);
  EXPECT_FALSE(wants_colour(::fileno(file.get())));
  EXPECT_EQ(terminal_width(::fileno(file.get())), 80U);
}

TEST(ThermoTable, RepeatsTheHeaderOnATerminal) {
  std::ostringstream out;
  ThermoTable table(out, {.repeat_header = true});
  for (int i = 0; i < 45; ++i) table.append(awkward_row(i));
  const auto lines = split(out.str(), '\n');
  ASSERT_EQ(lines.size(), 48U);
  EXPECT_EQ(lines[21], lines[0]);
  EXPECT_EQ(lines[42], lines[0]);
}

TEST(ThermoTable, TellsWhenNobodyTakesIt) {
  std::ofstream full("/dev/full");
  ThermoTable table(full);
  EXPECT_THROW(table.append(awkward_row(0)), SystemError);
}

}  // namespace
}  // namespace pencilbox::testing
