// Every way in which a start file can be wrong gives one line: file, line, section, id.
#include <ostream>

#include <gtest/gtest.h>

#include "io/input/start_file.hpp"
#include "io/input/text_file.hpp"
#include "tests/io/input_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

/// A file that is good but for one thing, and what is said about it. `@` stands for the path.
struct BadFile {
  std::string what;
  std::string from;  ///< text of the good file, replaced by
  std::string to;
  std::string prefix;
  std::string mention;
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.what; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the good file has no '" << from << "'";
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void expect_line(const BadFile& bad, const std::string& good, const std::string& name,
                 const StartFileRequest& request) {
  const TemporaryFolder folder;
  const std::string path = folder.write(name, replaced(good, bad.from, bad.to)).string();
  const std::string error = error_of([&] { read_start(path, request); });
  const std::string prefix = replaced(bad.prefix, "@", path);
  EXPECT_EQ(error.substr(0, prefix.size()), prefix) << error;
  EXPECT_NE(error.find(bad.mention), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

constexpr const char* good_data =
    "title\n"               // 1
    "3 atoms\n"             // 2
    "2 atom types\n"        // 3
    "0 10 xlo xhi\n"        // 4
    "0 10 ylo yhi\n"        // 5
    "0 10 zlo zhi\n"        // 6
    "\nMasses\n\n"          // 8
    "1 1.0\n"               // 10
    "2 2.0\n"               // 11
    "\nAtoms # atomic\n\n"  // 13
    "3 1 1 1 1\n"           // 15
    "1 2 2 2 2 0 0 0\n"     // 16
    "2 1 3 3 3\n"           // 17
    "\nVelocities\n\n"      // 19
    "1 0 0 0\n"             // 21
    "2 0 0 0\n"             // 22
    "3 0 0 0\n";            // 23

class BadData : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadData, GivesOneLine) { expect_line(GetParam(), good_data, "bad.data", {}); }

INSTANTIATE_TEST_SUITE_P(
    Lammps, BadData,
    ::testing::Values(
        BadFile{"too few rows", "2 1 3 3 3\n", "", "@:18: Atoms: too few rows, got 2 rows",
                "allowed 3 rows"},
        BadFile{"too many rows", "2 1 3 3 3\n", "2 1 3 3 3\n4 1 4 4 4\n",
                "@:18: Atoms: too many rows, got 4 1 4 4 4", "allowed 3 rows"},
        BadFile{"truncated", "2 0 0 0\n3 0 0 0\n", "", "@:21: Velocities: file ends too early",
                "got 1 rows, allowed 3 rows"},
        BadFile{"cut within a row", "3 0 0 0\n", "3 0", "@:23: Velocities: wrong number of columns",
                "id vx vy vz"},
        BadFile{"duplicate id", "2 1 3 3 3", "3 1 3 3 3", "@:17: Atoms: duplicate id",
                "id 3 on lines 15 and 17"},
        BadFile{"missing id", "2 1 3 3 3", "5 1 3 3 3", "@:17: Atoms: id out of range, got id 5",
                "allowed 1 to 3, each once"},
        BadFile{"id 0", "3 1 1 1 1", "0 1 1 1 1", "@:15: Atoms: id out of range, got id 0", ""},
        BadFile{"velocity twice", "3 0 0 0", "1 0 0 0", "@:23: Velocities: duplicate id",
                "lines 21 and 23"},
        BadFile{"velocity of nobody", "3 0 0 0", "9 0 0 0", "@:23: Velocities: id out of range",
                ""},
        BadFile{"NaN", "2 2 2 0", "2 nan 2 0", "@:16: Atoms: not a finite number, got nan", ""},
        BadFile{"NaN velocity", "\n2 0 0 0", "\n2 0 -nan 0",
                "@:22: Velocities: not a finite number", ""},
        BadFile{"far outside", "3 1 1 1 1", "3 1 1 1 20.5",
                "@:15: Atoms: more than one box side outside a periodic direction, got z = 20.5 of "
                "id 3",
                "allowed -10 to 20"},
        BadFile{"type too large", "2 1 3 3 3", "2 3 3 3 3",
                "@:17: Atoms: type out of range, got type 3 of id 2", "allowed 1 to 2"},
        BadFile{"type 0", "2 1 3 3 3", "2 0 3 3 3", "@:17: Atoms: type out of range", "allowed 1"},
        BadFile{"one point", "2 1 3 3 3", "2 1 1 1 1", "@:17: position: two particles at one point",
                "ids 2 and 3 on lines 17 and 15"},
        BadFile{"one point after wrapping", "2 1 3 3 3", "2 1 1 1 11",
                "@:17: position: two particles at one point", "ids 2 and 3"},
        BadFile{"one point across a face", "3 1 1 1 1\n1 2 2 2 2 0 0 0",
                "3 1 1 1 0\n1 2 1 1 9.9999999999", "@:16: position: two particles at one point",
                ""},
        BadFile{"columns", "2 1 3 3 3", "2 1 0.5 3 3 3", "@:17: Atoms: wrong number of columns",
                "allowed 5 or 8"},
        BadFile{"style", "# atomic", "# full", "@:13: Atoms: atom style is not read, got full",
                "atomic"},
        BadFile{"real units", "title",
                "LAMMPS data file via write_data, timestep = 5, units = real",
                "@:1: units: not reduced units, got real", "divided by sigma"},
        BadFile{"metal units", "title", "units = metal, version 2 Aug 2023",
                "@:1: units: not reduced units, got metal", "allowed lj"},
        BadFile{"triclinic", "0 10 zlo zhi\n", "0 10 zlo zhi\n0 0 0 xy xz yz\n",
                "@:7: xy xz yz: triclinic boxes are not supported", "orthogonal"},
        BadFile{"lo > hi", "0 10 ylo", "10 0 ylo", "@:5: ylo: no box side, got 10 to 0", "lo < hi"},
        BadFile{"inf side", "0 10 ylo", "0 inf ylo", "@:5: ylo: not a finite number, got inf", ""},
        BadFile{"side twice", "0 10 ylo yhi", "0 10 xlo xhi", "@:5: xlo: given twice", ""},
        BadFile{"no side", "0 10 ylo yhi\n", "", "@:7: header: line is missing", "ylo yhi"},
        BadFile{"no count", "3 atoms\n", "", "@:7: header: line is missing", "N atoms"},
        BadFile{"no atoms", "3 atoms", "0 atoms", "@:2: atoms: out of range, got 0",
                "from 1 to 2147483647"},
        BadFile{"2^31 atoms", "3 atoms", "2147483648 atoms", "@:2: atoms: out of range", ""},
        BadFile{"more atoms than bytes", "3 atoms", "2000000000 atoms",
                "@:8: atoms: file ends too early", "rows for 2000000000 atoms"},
        BadFile{"bonds", "0 10 xlo", "7 bonds\n0 10 xlo",
                "@:4: header: not a header line that is read, got 7 bonds", "N atoms"},
        BadFile{"pair coefficients", "Masses", "Pair Coeffs # lj/cut\n\n1 1 1\n2 1 1\n\nMasses",
                "@:8: Pair Coeffs: pair coefficients are not read", "potential.pairs"},
        BadFile{"another section", "Velocities", "Bonds",
                "@:19: section: no section that is read, got Bonds", "Masses, Atoms, Velocities"},
        BadFile{"section twice", "Velocities", "Atoms", "@:19: Atoms: section given twice", ""},
        BadFile{"no masses", "Masses\n\n1 1.0\n2 2.0\n", "", "@:19: Masses: section is missing",
                ""},
        BadFile{"mass of 0", "1 1.0", "1 0", "@:10: Masses: out of range, got 0", "a mass from"},
        BadFile{"mass twice", "2 2.0", "1 2.0", "@:11: Masses: duplicate type", ""},
        BadFile{"image that would wrap", "2 2 2 0 0 0", "2 2 2 0 -2147483647 0",
                "@:16: Atoms: image flag out of range, got -2147483647 of id 1",
                "-1000000000 to 1000000000"},
        BadFile{"box that doubles cannot tell", "0 10 ylo", "1e17 100000000000000009 ylo",
                "@:5: ylo: a corner of the box so far from the origin",
                "-1000000000 to 1000000000 sigma"},
        BadFile{"image", "2 2 2 0 0 0", "2 2 2 0 0 0.5", "@:16: Atoms: not an integer, got 0.5",
                ""},
        BadFile{"NUL", "1 2 2 2 2", std::string("1 2 2 \0 2", 9), "@:16: binary file",
                "a NUL byte"},
        BadFile{"UTF-16", "title", "\xFF\xFEtitle", "@:1: not UTF-8 text", "UTF-16"},
        BadFile{"gzip", "title", "\x1f\x8b\x08 title", "@: compressed file", "uncompressed"},
        BadFile{"HDF5", "title", "\x89HDF\r\n\x1a\ntitle",
                "@: cannot be opened: damaged, or cut short", "a checkpoint or"}));

TEST(BadDataAndDeck, Disagree) {
  const BadFile types{"types", "title", "title", "@:8: atom types: more types than the deck has",
                      "got 2 in the file, allowed at most 1"};
  expect_line(types, good_data, "bad.data", {{true, true, true}, {{"A", 1.0}}});
  const BadFile mass{"mass", "title", "title",
                     "@:11: Masses: disagrees with the deck, got mass 2 of "
                     "type B",
                     "allowed 3, as in system.types"};
  expect_line(mass, good_data, "bad.data", {{true, true, true}, {{"A", 1.0}, {"B", 3.0}}});
}

constexpr const char* good_xyz =
    "3\n"
    "Lattice=\"10 0 0 0 10 0 0 0 10\" Properties=id:I:1:species:S:1:pos:R:3:velo:R:3 pbc=\"T T "
    "T\"\n"
    "1 A 1 1 1 0 0 0\n"
    "2 B 2 2 2 0 0 0\n"
    "3 A 3 3 3 0 0 0\n";

class BadXyz : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadXyz, GivesOneLine) {
  expect_line(GetParam(), good_xyz, "bad.xyz", {{true, true, true}, {{"A", 1.0}, {"B", 1.0}}});
}

INSTANTIATE_TEST_SUITE_P(
    ExtendedXyz, BadXyz,
    ::testing::Values(
        BadFile{"truncated", "3 A 3 3 3 0 0 0\n", "", "@:4: atoms: file ends too early, got 2 rows",
                "allowed 3 rows"},
        BadFile{"cut within a row", "3 A 3 3 3 0 0 0\n", "3 A 3",
                "@:5: atoms: wrong number of columns", "allowed 8"},
        BadFile{"too many rows", "3 A 3 3 3 0 0 0\n", "3 A 3 3 3 0 0 0\n4 A 4 4 4 0 0 0\n",
                "@:6: atoms: more rows than the first line says", "3 rows"},
        BadFile{"duplicate id", "3 A 3", "2 A 3", "@:5: pos: duplicate id",
                "id 2 on lines 4 and 5"},
        BadFile{"missing id", "3 A 3", "4 A 3", "@:5: pos: id out of range, got id 4",
                "1 to 3, each once"},
        BadFile{"NaN", "2 B 2 2", "2 B nan 2", "@:4: pos: not a finite number, got nan", ""},
        BadFile{"inf velocity", "2 0 0 0", "2 0 inf 0", "@:4: velo: not a finite number, got inf",
                ""},
        BadFile{"far outside", "3 A 3 3 3", "3 A 3 3 -10.5",
                "@:5: pos: more than one box side outside", "z = -10.5 of id 3"},
        BadFile{"unknown type", "2 B", "2 C",
                "@:4: species: no such type in the deck, got C of id 2", "allowed A, B"},
        BadFile{"one point", "3 A 3 3 3", "3 A 2 2 2", "@:5: position: two particles at one point",
                "ids 2 and 3 on lines 4 and 5"},
        BadFile{"boundary", "pbc=\"T T T\"", "pbc=\"T F T\"", "@:2: pbc: disagrees with the deck",
                "T T T, as in system.boundary"},
        BadFile{"pbc word", "pbc=\"T T T\"", "pbc=\"T X T\"", "@:2: pbc: not T or F, got X", ""},
        BadFile{"no lattice", "Lattice", "lattice", "@:2: Lattice: missing key", "ax 0 0 0 by"},
        BadFile{"triclinic", "10 0 0 0 10", "10 1 0 0 10", "@:2: Lattice: triclinic boxes", ""},
        BadFile{"negative side", "\"10 0", "\"-10 0", "@:2: Lattice: no box side", "lo < hi"},
        BadFile{"open quote", "pbc=\"T T T\"", "pbc=\"T T T", "@:2: pbc: quote is not closed", ""},
        BadFile{"unknown column", "velo", "force",
                "@:2: Properties: not a property that is read, got force:R:3", "velo:R:3"},
        BadFile{"no positions", "pos:R:3:", "", "@:2: Properties: a property is missing",
                "pos:R:3"},
        BadFile{"column twice", "velo", "pos", "@:2: Properties: property given twice", "pos:R:3"},
        BadFile{"no count", "3\n", "three\n", "@:1: atoms: not a number of atoms, got three",
                "an integer from 1"},
        BadFile{"no atoms", "3\n", "0\n", "@:1: atoms: out of range, got 0", "from 1"},
        BadFile{"absurd count", "3\n", "2147483647\n", "@:1: atoms: file ends too early",
                "rows for"},
        BadFile{"key twice", "pbc=", "Lattice=\"1\" pbc=", "@:2: Lattice: given twice", ""}));

TEST(BadStartFile, SaysWhatIsWrongWithTheFile) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "none.data").string();
  EXPECT_EQ(error_of([&] { read_start(missing, {}); }),
            missing +
                ": file not found, allowed a LAMMPS data file, an extended XYZ file, "
                "a checkpoint or a trajectory of pencilbox");
  EXPECT_NE(error_of([&] { read_start(folder / "", {}); }).find("a directory"), std::string::npos);
  const auto empty = folder.write("empty.data", "");
  EXPECT_NE(error_of([&] { read_start(empty, {}); }).find(":1: empty file"), std::string::npos);
  const auto words = folder.write("words", "lorem ipsum\ndolor sit amet\n");
  EXPECT_NE(error_of([&] { read_start(words, {}); }).find("words:2: header: line is missing"),
            std::string::npos);
  EXPECT_NE(error_of([&] { read_start("/dev/zero", {}); }).find("not a regular file"),
            std::string::npos);
}

TEST(BadStartFile, RefusesSpeciesThatNoOutputCouldName) {
  const TemporaryFolder folder;
  for (const std::string& species :
       {std::string("\xff\xfe"), std::string("A\x1b[31m"), std::string(70000, 'A')}) {
    const auto place =
        folder.write("species.xyz", "1\nLattice=\"5 0 0 0 5 0 0 0 5\"\n" + species + " 0 0 0\n");
    const std::string line = error_of([&] { read_start(place, {}); });
    EXPECT_NE(line.find("species.xyz:3: species: not a name, got "), std::string::npos) << line;
    EXPECT_NE(line.find("a word of at most 32 letters"), std::string::npos);
    EXPECT_LT(line.size(), 400U);
    EXPECT_TRUE(is_utf8(line));
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

TEST(BadStartFile, ACornerFarFromTheOriginIsRefusedInXyzToo) {
  const TemporaryFolder folder;
  const auto place =
      folder.write("far.xyz", "1\nLattice=\"9 0 0 0 9 0 0 0 9\" Origin=\"1e17 0 0\"\nA 1e17 0 0\n");
  const std::string line = error_of([&] { read_start(place, {}); });
  EXPECT_NE(line.find("far.xyz:2: Origin: a corner of the box so far"), std::string::npos) << line;
}

TEST(BadStartFile, StaysOneLineWhateverIsInTheFile) {
  const TemporaryFolder folder;
  const auto place = folder.write("keys.xyz", "1\nLattice\x14\x1b[31m=\"5 0 0\nA 0 0 0\n");
  const std::string line = error_of([&] { read_start(place, {}); });
  EXPECT_NE(line.find("keys.xyz:2: Lattice??[31m: quote is not closed"), std::string::npos) << line;
}

}  // namespace
}  // namespace pencilbox::testing
