// Every way in which a deck can be wrong gives one line: place, key, what is wrong, what is
// allowed.
#include <array>
#include <chrono>
#include <ostream>
#include <sstream>

#include <gtest/gtest.h>

#include "io/input/deck.hpp"
#include "tests/io/input_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pencilbox::testing {
namespace {

/// A good deck, line by line.
const std::array<std::string, 18> good_lines{
    "title: test",                                                  // 1
    "system:",                                                      // 2
    "  particles:",                                                 // 3
    "    lattice: {type: fcc, density: 0.8442, cells: [4, 4, 4]}",  // 4
    "  velocities: {temperature: 1.44, seed: 87287}",               // 5
    "  types: [{name: A, mass: 1.0}]",                              // 6
    "  boundary: [periodic, periodic, periodic]",                   // 7
    "potential:",                                                   // 8
    "  cutoff: 2.5",                                                // 9
    "  truncation: cut",                                            // 10
    "neighbor:",                                                    // 11
    "  backend: par-cell",                                          // 12
    "  options: {block: 64}",                                       // 13
    "integrator: {type: velocity-verlet, timestep: 0.005}",         // 14
    "run: {steps: 100, precision: mixed, device: host}",            // 15
    "output:",                                                      // 16
    "  thermo: {every: 10}",                                        // 17
    "  trajectory: {every: 50, fields: [position, velocity]}"};     // 18

std::string deck_with(std::size_t line, const std::string& replacement) {
  std::string text;
  for (std::size_t i = 0; i < good_lines.size(); ++i) {
    text += (i + 1 == line ? replacement : good_lines[i]) + "\n";
  }
  return text;
}

std::string error_in(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return error_of([&] { parse_deck(text, "deck.yaml", overrides, test_catalogue()); });
}

struct BadLine {
  std::string what;  ///< case of the list of bad inputs, and the input
  std::size_t line;  ///< of the good deck, replaced by
  std::string replacement;
  std::string prefix;   ///< the error begins with this
  std::string mention;  ///< and says this
};

void PrintTo(const BadLine& bad, std::ostream* out) { *out << bad.what; }

class BadDeck : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadDeck, GivesOneLine) {
  const BadLine& bad = GetParam();
  const std::string error = error_in(deck_with(bad.line, bad.replacement));
  EXPECT_EQ(error.substr(0, bad.prefix.size()), bad.prefix) << error;
  EXPECT_NE(error.find(bad.mention), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(GoodDeck, OfTheseTestsIsGood) { EXPECT_EQ(error_in(deck_with(0, "")), "no error"); }

INSTANTIATE_TEST_SUITE_P(
    Text, BadDeck,
    ::testing::Values(
        BadLine{"1 misspelt top-level key", 11,
                "neighbour:", "deck.yaml:11: neighbour: unknown key",
                "allowed title, system, units, potential, neighbor, integrator, barostat, run, "
                "observables, output; "
                "did you mean "
                "neighbor?"},
        BadLine{"1 misspelt key of a section at the top", 1, "cutof: 2.5",
                "deck.yaml:1: cutof: unknown key", "did you mean potential.cutoff?"},
        BadLine{"2 misspelt nested key", 4,
                "    lattice: {type: fcc, denisty: 1, cells: [4, 4, 4]}",
                "deck.yaml:4: system.particles.lattice.denisty: unknown key",
                "allowed type, density, cells, gap; did you mean density?"},
        BadLine{"2 in a list", 6, "  types: [{name: A, mas: 1.0}]",
                "deck.yaml:6: system.types[0].mas: unknown key", "did you mean mass?"},
        BadLine{"2 unlike anything", 9, "  zebra: 2.5", "deck.yaml:9: potential.zebra: unknown key",
                "allowed type, cutoff, truncation, tail_correction, pairs"},
        BadLine{"3 duplicate key", 10, "  cutoff: 3",
                "deck.yaml:10: potential.cutoff: duplicate key", "lines 9 and 10"},
        BadLine{"3 duplicate section", 16, "system:", "deck.yaml:16: system: duplicate key",
                "lines 2 and 16"},
        BadLine{"3 duplicate in a list", 6, "  types: [{name: A, name: A}]",
                "deck.yaml:6: system.types.name: duplicate key", "lines 6 and 6"},
        BadLine{"4 wrong section", 10, "  timestep: 0.005",
                "deck.yaml:10: potential.timestep: key in the wrong section",
                "allowed in its own section: integrator.timestep"},
        BadLine{"4 wrong section, top", 1, "cutoff: 2.5",
                "deck.yaml:1: cutoff: key in the wrong section", "potential.cutoff"},
        BadLine{"5 missing key", 9, "", "deck.yaml:8: potential.cutoff: missing key",
                "allowed a real number from 0.01 to 10000 sigma"},
        BadLine{"5 missing key of the lattice", 4, "    lattice: {type: fcc, cells: [4, 4, 4]}",
                "deck.yaml:4: system.particles.lattice.density: missing key", "a real number"},
        BadLine{"5 missing section", 15, "", "deck.yaml:1: run: missing key", "a section"},
        BadLine{"5 no start", 4, "", "deck.yaml:3: system.particles: missing key",
                "allowed exactly one of lattice, random, file"},
        BadLine{"5 two starts", 4,
                "    lattice: {type: fcc, density: 1, cells: [1, 1, 1]}\n    file: a.xyz",
                "deck.yaml:5: system.particles: more than one start, got lattice, file",
                "allowed exactly one of lattice, random, file"},
        BadLine{"6 tab", 9, "\tcutoff: 2.5", "deck.yaml:9: tab in the indentation",
                "allowed spaces"},
        BadLine{"6 tab after blanks", 9, "  \tcutoff: 2.5", "deck.yaml:9: tab in the indentation",
                "allowed spaces"},
        BadLine{"7 open quote", 18, "  directory: \"abc", "deck.yaml:18: not YAML: a quote",
                "closed"},
        BadLine{"7 open bracket", 18, "  trajectory: {every: 50",
                "deck.yaml:", "is the bracket of line 18 closed?"},
        BadLine{"7 stray bracket", 9, "  cutoff: ]", "deck.yaml:9: not YAML", ""},
        BadLine{"10 NUL", 9, std::string("  cutoff: 2\0", 12), "deck.yaml:9: binary file",
                "allowed a YAML deck"},
        BadLine{"10 not UTF-8", 1, "title: \xff\xfe", "deck.yaml:1: not UTF-8 text", "byte 0xff"},
        BadLine{"10 overlong UTF-8", 1, "title: \xc0\xaf", "deck.yaml:1: not UTF-8 text", "0xc0"},
        BadLine{"10 control character", 1, "title: \x1b[31m", "deck.yaml:1: not UTF-8 text",
                "0x1b"},
        BadLine{"11 anchor", 8, "potential: &p", "deck.yaml:", "anchors (&) and aliases (*)"},
        BadLine{"11 alias", 9, "  cutoff: *p", "deck.yaml:9: ", ""},
        BadLine{"11 merge key", 10, "  <<: {cutoff: 2.5}", "deck.yaml:10: <<: merge keys", ""},
        BadLine{"11 tag", 9, "  cutoff: !!float 2.5", "deck.yaml:9: YAML tags", "plain values"},
        BadLine{"12 second document", 11, "---\nneighbor:", "deck.yaml:11: second YAML document",
                "allowed one document"},
        BadLine{"12 text behind the end", 11, "...\nneighbor: {}",
                "deck.yaml:12: second YAML document", "document, allowed one document"},
        BadLine{"a list as key", 1, "[a, b]: c", "deck.yaml:1: a list or section cannot be a key",
                "a plain word"},
        BadLine{"nested", 1, "title: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
                "deck.yaml:1: nested too deeply", "at most 16 levels"}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadDeck,
    ::testing::Values(
        BadLine{"13 quoted", 9, "  cutoff: \"abc\"", "deck.yaml:9: potential.cutoff: not a number",
                "allowed a real number from"},
        BadLine{"13 word", 9, "  cutoff: abc",
                "deck.yaml:9: potential.cutoff: not a finite number, got abc",
                "allowed a real number from"},
        BadLine{"14 1.0e", 9, "  cutoff: 1.0e", "deck.yaml:9: potential.cutoff: ", "got 1.0e,"},
        BadLine{"14 1,5", 9, "  cutoff: 1,5", "deck.yaml:9: potential.cutoff: ", "got 1,5,"},
        BadLine{"14 0x10", 9, "  cutoff: 0x10", "deck.yaml:9: potential.cutoff: ", "got 0x10,"},
        BadLine{"14 1_000", 9, "  cutoff: \"1_000\"", "deck.yaml:9: potential.cutoff: ", "1_000"},
        BadLine{"14 yes", 9, "  cutoff: yes", "deck.yaml:9: potential.cutoff: ", "got yes,"},
        BadLine{"14 octal", 15, "run: {steps: 010}", "deck.yaml:15: run.steps: ", "octal"},
        BadLine{"boolean yes", 10, "  tail_correction: yes",
                "deck.yaml:10: potential.tail_correction: not a boolean, got yes",
                "allowed true, false"},
        BadLine{"15 float", 15, "run: {steps: 100.5}",
                "deck.yaml:15: run.steps: not an integer, got 100.5",
                "allowed an integer from 0 to 9007199254740992"},
        BadLine{"16 1e30 steps", 15, "run: {steps: 1e30}",
                "deck.yaml:15: run.steps: out of range, got 1e30", "allowed an integer from 0"},
        BadLine{"16 2^63", 15, "run: {steps: 9223372036854775808}",
                "deck.yaml:15: run.steps: out of range", "allowed an integer from 0"},
        BadLine{"16 2^31 atoms", 4,
                "    random: {count: 2147483648, box: [1e4, 1e4, 1e4], seed: 1}",
                "deck.yaml:4: system.particles.random.count: out of range, got 2147483648",
                "allowed an integer from 1 to 2147483647"},
        BadLine{"16 2^31 atoms in cells", 4,
                "    lattice: {type: fcc, density: 1, cells: [1000, 1000, 1000]}",
                "deck.yaml:4: system.particles.lattice.cells: too many particles",
                "allowed at most 2147483647"},
        BadLine{"negative steps", 15, "run: {steps: -1}", "deck.yaml:15: run.steps: out of range",
                "got -1"},
        BadLine{"17 negative", 14, "integrator: {timestep: -0.005}",
                "deck.yaml:14: integrator.timestep: out of range, got -0.005", "tau"},
        BadLine{"17 zero", 14, "integrator: {timestep: 0}",
                "deck.yaml:14: integrator.timestep: out of range, got 0", "allowed a real number"},
        BadLine{"18 nan", 14, "integrator: {timestep: nan}",
                "deck.yaml:14: integrator.timestep: not a finite number", "got nan"},
        BadLine{"18 .inf", 14, "integrator: {timestep: .inf}",
                "deck.yaml:14: integrator.timestep: not a finite number", "got .inf"},
        BadLine{"a cutoff of a pair", 10,
                "  pairs: [{types: [A, A], epsilon: 1, sigma: 1, cutoff: 0}]",
                "deck.yaml:10: potential.pairs[0].cutoff: out of range, got 0", "allowed"},
        BadLine{"19 zero", 9, "  cutoff: 0", "deck.yaml:9: potential.cutoff: out of range, got 0",
                "allowed a real number from 0.01"},
        BadLine{"19 negative", 9, "  cutoff: -2.5", "deck.yaml:9: potential.cutoff: out of range",
                "got -2.5"},
        BadLine{"19 nan", 9, "  cutoff: .nan", "deck.yaml:9: potential.cutoff: not a finite number",
                "got .nan"},
        BadLine{"23 density zero", 4, "    lattice: {type: fcc, density: 0, cells: [4, 4, 4]}",
                "deck.yaml:4: system.particles.lattice.density: out of range, got 0",
                "allowed a real number from 1e-09 to 10"},
        BadLine{"23 negative", 4, "    lattice: {type: fcc, density: -1, cells: [4, 4, 4]}",
                "deck.yaml:4: system.particles.lattice.density: out of range", "got -1"},
        BadLine{"23 absurd", 4, "    lattice: {type: fcc, density: 1e6, cells: [4, 4, 4]}",
                "deck.yaml:4: system.particles.lattice.density: out of range", "got 1e6"},
        BadLine{"23 absurd at random", 4, "    random: {count: 1000000, box: [1, 1, 1], seed: 1}",
                "deck.yaml:4: system.particles.random: absurd density", "allowed at most 10"},
        BadLine{"24 side zero", 4, "    random: {count: 10, box: [10, 0, 10], seed: 1}",
                "deck.yaml:4: system.particles.random.box[1]: out of range, got 0", "sigma"},
        BadLine{"24 side negative", 4, "    random: {count: 10, box: [10, -1, 10], seed: 1}",
                "deck.yaml:4: system.particles.random.box[1]: out of range, got -1", "sigma"},
        BadLine{"24 side inf", 4, "    random: {count: 10, box: [10, 10, inf], seed: 1}",
                "deck.yaml:4: system.particles.random.box[2]: not a finite number, got inf",
                "sigma"},
        BadLine{"24 two sides", 4, "    random: {count: 10, box: [10, 10], seed: 1}",
                "deck.yaml:4: system.particles.random.box: wrong number of entries, got 2",
                "allowed a list of 3"},
        BadLine{"24 one number", 4, "    random: {count: 10, box: 10, seed: 1}",
                "deck.yaml:4: system.particles.random.box: not a list, got 10",
                "allowed a list of 3"},
        BadLine{"25 N = 0", 4, "    random: {count: 0, box: [10, 10, 10], seed: 1}",
                "deck.yaml:4: system.particles.random.count: out of range, got 0", "from 1 to"},
        BadLine{"25 no cells", 4, "    lattice: {type: fcc, density: 1, cells: [4, 0, 4]}",
                "deck.yaml:4: system.particles.lattice.cells[1]: out of range, got 0", "from 1 to"},
        BadLine{"26 negative temperature", 5, "  velocities: {temperature: -1, seed: 1}",
                "deck.yaml:5: system.velocities.temperature: out of range, got -1", "from 0 to"},
        BadLine{"26 temperature with N = 1", 4,
                "    lattice: {type: sc, density: 1, cells: [1, 1, 1]}",
                "deck.yaml:5: system.velocities.temperature: a single particle has no degree of "
                "freedom",
                "allowed two or more particles"},
        BadLine{"27 mass", 6, "  types: [{name: A, mass: 0}]",
                "deck.yaml:6: system.types[0].mass: out of range, got 0", "allowed a real number"},
        BadLine{"27 epsilon", 10, "  pairs: [{types: [A, A], epsilon: -1, sigma: 1}]",
                "deck.yaml:10: potential.pairs[0].epsilon: out of range, got -1", "allowed"},
        BadLine{"27 sigma", 10, "  pairs: [{types: [A, A], epsilon: 1, sigma: 0}]",
                "deck.yaml:10: potential.pairs[0].sigma: out of range, got 0", "allowed"},
        BadLine{"28 unknown back end", 12, "  backend: par-cel",
                "deck.yaml:12: neighbor.backend: no such choice, got par-cel",
                "allowed auto, par-part-no-loop, par-cell; did you mean par-cell?"},
        BadLine{"28 unknown option", 13, "  options: {blok: 64}",
                "deck.yaml:13: neighbor.options.blok: unknown key",
                "allowed block, order, cells, prefetch; did you mean block?"},
        BadLine{"28 option out of range", 13, "  options: {block: 16}",
                "deck.yaml:13: neighbor.options.block: no such value of this option, got 16",
                "allowed an integer from 32 to 1024"},
        BadLine{"28 option without such a choice", 13, "  options: {order: hilbert}",
                "deck.yaml:13: neighbor.options.order: no such value of this option, got hilbert",
                "allowed auto, morton, rows"},
        BadLine{"28 option of either kind", 13, "  options: {cells: 65}",
                "deck.yaml:13: neighbor.options.cells: no such value",
                "allowed auto, an integer from 1 to 64"},
        BadLine{"28 option of a back end without", 12, "  backend: par-part-no-loop",
                "deck.yaml:13: neighbor.options.block: unknown key", "allowed no key here"},
        BadLine{"28 device not in the build", 15, "run: {steps: 1, device: hip}",
                "deck.yaml:15: run.device: no such device in this build, got hip",
                "allowed auto, host, cuda"},
        BadLine{"29 precision", 15, "run: {steps: 1, precision: half}",
                "deck.yaml:15: run.precision: no such choice, got half",
                "allowed single, mixed, double"},
        BadLine{"29 integrator", 14, "integrator: {type: leapfrog}",
                "deck.yaml:14: integrator.type: no such choice, got leapfrog",
                "allowed velocity-verlet, langevin, velocity-rescaling, nose-hoover"},
        BadLine{"a bath without a temperature", 14, "integrator: {type: langevin, friction: 1}",
                "deck.yaml:14: integrator.temperature: missing key", "epsilon"},
        BadLine{"friction of zero", 14, "integrator: {type: langevin, temperature: 1, friction: 0}",
                "deck.yaml:14: integrator.friction: out of range, got 0", "1/tau"},
        BadLine{"half a seed", 14,
                "integrator: {type: langevin, temperature: 1, friction: 1, seed: 0.5}",
                "deck.yaml:14: integrator.seed: not an integer, got 0.5", "allowed an integer"},
        BadLine{"friction of velocity-verlet", 14, "integrator: {friction: 1}",
                "deck.yaml:14: integrator.friction: only with type langevin, got type "
                "velocity-verlet",
                "allowed type, timestep"},
        BadLine{"a chain of nine", 14,
                "integrator: {type: nose-hoover, temperature: 1, relaxation_time: 1, "
                "chain_length: 9}",
                "deck.yaml:14: integrator.chain_length: out of range, got 9", "1 to 8"},
        BadLine{"a relaxation time of a bath with friction", 14,
                "integrator: {type: langevin, temperature: 1, friction: 1, relaxation_time: 1}",
                "deck.yaml:14: integrator.relaxation_time: only with type velocity-rescaling, "
                "nose-hoover, got type langevin",
                "friction"},
        BadLine{"29 truncation", 10, "  truncation: force_shift",
                "deck.yaml:10: potential.truncation: no such choice, got force_shift",
                "allowed cut, shift, force-shift; did you mean force-shift?"},
        BadLine{"29 potential", 10, "  type: lennard_jone",
                "deck.yaml:10: potential.type: no such choice", "allowed lennard-jones"},
        BadLine{"29 misspelt gravity", 10, "  type: softened_gravity",
                "deck.yaml:10: potential.type: no such choice, got softened_gravity",
                "allowed lennard-jones, softened-gravity, weeks-chandler-andersen, tabulated; did "
                "you mean "
                "softened-gravity?"},
        BadLine{"cutoff of gravity", 10, "  type: softened-gravity\n  softening: 0.1",
                "deck.yaml:9: potential.cutoff: only with type lennard-jones, got type "
                "softened-gravity",
                "allowed type, softening, gravitational_constant"},
        BadLine{"truncation of gravity", 9, "  type: softened-gravity\n  softening: 0.1",
                "deck.yaml:11: potential.truncation: only with type lennard-jones",
                "allowed type, softening, gravitational_constant"},
        BadLine{"softening of lennard-jones", 10, "  softening: 0.1",
                "deck.yaml:10: potential.softening: only with type softened-gravity, got type "
                "lennard-jones",
                "allowed type, cutoff, truncation, tail_correction, pairs"},
        BadLine{"G of lennard-jones", 10, "  gravitational_constant: 1",
                "deck.yaml:10: potential.gravitational_constant: only with type softened-gravity",
                "allowed type, cutoff"},
        BadLine{"radius of a Plummer sphere", 4, "    plummer: {count: 100, radius: 0}",
                "deck.yaml:4: system.particles.plummer.radius: out of range, got 0",
                "allowed a real number from 0.001"},
        BadLine{"count of a Plummer sphere", 4, "    plummer: {count: 0, radius: 1}",
                "deck.yaml:4: system.particles.plummer.count: out of range, got 0", "from 1 to"},
        BadLine{"29 boundary", 7, "  boundary: [periodic, closed, open]",
                "deck.yaml:7: system.boundary[1]: no such choice, got closed",
                "allowed periodic, open"},
        BadLine{"29 lattice", 4, "    lattice: {type: hcp, density: 1, cells: [1, 1, 1]}",
                "deck.yaml:4: system.particles.lattice.type: no such choice, got hcp",
                "allowed sc, bcc, fcc"},
        BadLine{"31 interval zero", 17, "  thermo: {every: 0}",
                "deck.yaml:17: output.thermo.every: out of range, got 0", "an integer from 1"},
        BadLine{"31 interval negative", 18, "  trajectory: {every: -5}",
                "deck.yaml:18: output.trajectory.every: out of range, got -5", "an integer from 1"},
        BadLine{
            "unknown field", 18, "  trajectory: {every: 5, fields: [position, velocty]}",
            "deck.yaml:18: output.trajectory.fields[1]: no such choice, got velocty",
            "allowed position, velocity, force, image, species, id, potential_energy, speed; did "
            "you mean velocity?"},
        BadLine{"compression", 18, "  trajectory: {every: 5, compression: 10}",
                "deck.yaml:18: output.trajectory.compression: out of range, got 10",
                "an integer from 0 to 9"},
        BadLine{"frames in a file", 18, "  trajectory: {every: 5, split_every: -1}",
                "deck.yaml:18: output.trajectory.split_every: out of range, got -1",
                "an integer from 0"},
        BadLine{"duplicate field", 18, "  trajectory: {every: 5, fields: [id, id]}",
                "deck.yaml:18: output.trajectory.fields[1]: duplicate field", "each field once"},
        BadLine{"checkpoint interval", 18, "  checkpoint: {every: 0}",
                "deck.yaml:18: output.checkpoint.every: out of range, got 0", "an integer from 1"},
        BadLine{"checkpoint without interval", 18, "  checkpoint: {}",
                "deck.yaml:18: output.checkpoint.every: missing", "an integer from 1"},
        BadLine{"34 output is the deck", 18, "  directory: deck.yaml",
                "deck.yaml:18: output.directory: output would overwrite the deck",
                "a directory of its own"},
        BadLine{"no value", 9, "  cutoff:", "deck.yaml:9: potential.cutoff: no value",
                "a real number"},
        BadLine{"section for a number", 9, "  cutoff: {value: 2.5}",
                "deck.yaml:9: potential.cutoff: wrong type, got a section", "a real number"},
        BadLine{"number for a section", 14, "integrator: 5",
                "deck.yaml:14: integrator: not a section, got 5", "a section"},
        BadLine{"list for a section", 14, "integrator: [5]",
                "deck.yaml:14: integrator: not a section, got a list of 1", "a section"},
        BadLine{"a title that drives a terminal", 1, "title: \"\\x9b31m\"",
                "deck.yaml:1: title: characters that cannot stand here, got ?31m", "text"},
        BadLine{"empty title", 1, "title: \"\"", "deck.yaml:1: title: empty", "text"},
        BadLine{"name of a type", 6, "  types: [{name: A B}]",
                "deck.yaml:6: system.types[0].name: characters that cannot stand here, got A B",
                "a word"},
        BadLine{"no type", 6, "  types: []",
                "deck.yaml:6: system.types: wrong number of entries, got 0", "1 to 1000 entries"}));

INSTANTIATE_TEST_SUITE_P(
    Together, BadDeck,
    ::testing::Values(
        BadLine{"a Plummer sphere without gravity", 4, "    plummer: {count: 100, radius: 1}",
                "deck.yaml:4: system.particles.plummer: a Plummer sphere is in equilibrium under "
                "its own gravity alone, got potential.type lennard-jones",
                "allowed potential.type softened-gravity"},
        BadLine{
            "tail with shift", 10, "  truncation: shift\n  tail_correction: true",
            "deck.yaml:11: potential.tail_correction: a tail correction goes with truncation cut",
            "got shift"},
        BadLine{"duplicate type", 6,
                "  types: [{name: A, fraction: 0.5}, {name: A, fraction: 0.5}]",
                "deck.yaml:6: system.types[1].name: duplicate type, got A", "each name once"},
        BadLine{"types without fractions", 6, "  types: [{name: A}, {name: B}]",
                "deck.yaml:6: system.types: several types need a fraction each, got 0 of 2",
                "summing to 1"},
        BadLine{"one fraction of two", 6, "  types: [{name: A, fraction: 1}, {name: B}]",
                "deck.yaml:6: system.types: several types need a fraction each, got 1 of 2",
                "summing to 1"},
        BadLine{"fractions that do not sum to 1", 6,
                "  types: [{name: A, fraction: 0.5}, {name: B, fraction: 0.4}]",
                "deck.yaml:6: system.types: fractions do not sum to 1, got 0.9", "a sum of 1"},
        BadLine{"steps beside stages", 15, "run: {steps: 1, stages: [{name: a, steps: 1}]}",
                "deck.yaml:14: integrator: not beside run.stages, got a section",
                "allowed integrator of each stage, run.stages[].integrator"},
        BadLine{"duplicate pair", 10,
                "  pairs:\n    - {types: [A, B], epsilon: 1, sigma: 1}\n"
                "    - {types: [B, A], epsilon: 2, sigma: 1}",
                "deck.yaml:12: potential.pairs[1].types: duplicate pair", "in either order"}));

/// A good deck of two stages, in which one line is replaced.
std::string staged_deck_with(std::size_t line, const std::string& replacement) {
  const std::array<std::string, 6> lines{
      "system: {particles: {random: {count: 9, box: [5, 5, 5]}}}",  // 1
      "potential: {cutoff: 2.5}",                                   // 2
      "run:",                                                       // 3
      "  stages:",                                                  // 4
      "    - {name: first, steps: 5, integrator: {type: fire}}",    // 5
      "    - {name: second, steps: 5}"};                            // 6
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i + 1 == line ? replacement : lines[i]) + "\n";
  }
  return text;
}

class BadStage : public ::testing::TestWithParam<BadLine> {};

TEST_P(BadStage, GivesOneLine) {
  const BadLine& bad = GetParam();
  ASSERT_EQ(error_in(staged_deck_with(0, "")), "no error");
  const std::string error = error_in(staged_deck_with(bad.line, bad.replacement));
  EXPECT_EQ(error.substr(0, bad.prefix.size()), bad.prefix) << error;
  EXPECT_NE(error.find(bad.mention), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Stages, BadStage,
    ::testing::Values(
        BadLine{"steps beside stages", 3, "run:\n  steps: 100",
                "deck.yaml:4: run.steps: not beside run.stages, got 100",
                "allowed steps of each stage, run.stages[].steps"},
        BadLine{"zero_momentum beside stages", 3, "run:\n  zero_momentum: {}",
                "deck.yaml:4: run.zero_momentum: not beside run.stages, got a section",
                "run.stages[].zero_momentum"},
        BadLine{"integrator beside stages", 2,
                "potential: {cutoff: 2.5}\nintegrator: {timestep: 1}",
                "deck.yaml:3: integrator: not beside run.stages, got a section",
                "run.stages[].integrator"},
        BadLine{"without a name", 6, "    - {steps: 5}",
                "deck.yaml:6: run.stages[1].name: missing key", "a word"},
        BadLine{"without steps", 6, "    - {name: second}",
                "deck.yaml:6: run.stages[1].steps: missing key", "an integer from 1"},
        BadLine{"no steps", 6, "    - {name: second, steps: 0}",
                "deck.yaml:6: run.stages[1].steps: out of range, got 0", "an integer from 1"},
        BadLine{"too many steps together", 6, "    - {name: second, steps: 9007199254740992}",
                "deck.yaml:6: run.stages[1].steps: too many steps before and in stage second, got "
                "9007199254740992",
                "at most 9007199254740992 for all stages together"},
        BadLine{"the same name twice", 6, "    - {name: first, steps: 5}",
                "deck.yaml:6: run.stages[1].name: duplicate stage, got first", "each name once"},
        BadLine{"another integrator in one kernel", 6,
                "    - {name: second, steps: 5, integrator: {type: nose-hoover, temperature: 1, "
                "relaxation_time: 1}}\n  executor: persistent",
                "deck.yaml:5: run.stages[0].integrator.type: run.executor: persistent takes",
                "got fire, allowed velocity-verlet, or another executor"},
        BadLine{"misspelt key", 6, "    - {name: second, stpes: 5}",
                "deck.yaml:6: run.stages[1].stpes: unknown key", "did you mean steps?"},
        BadLine{"timestep beside the integrator", 6, "    - {name: second, steps: 5, timestep: 1}",
                "deck.yaml:6: run.stages[1].timestep: key in the wrong section",
                "run.stages[].integrator.timestep"},
        BadLine{"unknown minimiser", 5,
                "    - {name: first, steps: 5, integrator: {type: minimize}}",
                "deck.yaml:5: run.stages[0].integrator.type: no such choice, got minimize",
                "integrator.type: fire"},
        BadLine{"parameter of another", 5,
                "    - {name: first, steps: 5, integrator: {type: fire, friction: 1}}",
                "deck.yaml:5: run.stages[0].integrator.friction: only with type langevin",
                "got type fire"},
        BadLine{"no tolerance", 5,
                "    - {name: first, steps: 5, integrator: {type: fire, force_tolerance: 0}}",
                "deck.yaml:5: run.stages[0].integrator.force_tolerance: out of range, got 0",
                "epsilon/sigma"},
        BadLine{"velocities that would be lost", 1,
                "system: {particles: {random: {count: 9, box: [5, 5, 5]}}, velocities: "
                "{temperature: 1.5}}",
                "deck.yaml:1: system.velocities: a minimisation begins and ends at rest",
                "begins with fire"},
        BadLine{"every other step", 6,
                "    - {name: second, steps: 5, zero_momentum: {every: 0.5}}",
                "deck.yaml:6: run.stages[1].zero_momentum.every: not an integer, got 0.5",
                "an integer from 0"},
        BadLine{"ramp of a ramp", 6,
                "    - {name: second, steps: 5, integrator: {type: langevin, friction: 1, "
                "temperature: {from: 1, to: {from: 1, to: 2}}}}",
                "deck.yaml:6: run.stages[1].integrator.temperature.to: wrong type, got a section",
                "a real number from 0"},
        BadLine{"half a ramp", 6,
                "    - {name: second, steps: 5, integrator: {type: langevin, friction: 1, "
                "temperature: {from: 1}}}",
                "deck.yaml:6: run.stages[1].integrator.temperature.to: missing key",
                "a real number from 0"},
        BadLine{"a ramp below zero", 6,
                "    - {name: second, steps: 5, integrator: {type: langevin, friction: 1, "
                "temperature: {from: 1, to: -1}}}",
                "deck.yaml:6: run.stages[1].integrator.temperature.to: out of range, got -1",
                "epsilon"},
        BadLine{"a ramp as a list", 6,
                "    - {name: second, steps: 5, integrator: {type: langevin, friction: 1, "
                "temperature: [1, 2]}}",
                "deck.yaml:6: run.stages[1].integrator.temperature: wrong type, got a list of 2",
                "or a ramp {from: A, to: B}"},
        BadLine{"a ramp of what may not be one", 6,
                "    - {name: second, steps: 5, integrator: {type: langevin, temperature: 1, "
                "friction: {from: 1, to: 2}}}",
                "deck.yaml:6: run.stages[1].integrator.friction: wrong type, got a section",
                "a real number"}));

TEST(BadStages, NeitherStepsNorStages) {
  EXPECT_EQ(
      error_in("system: {particles: {random: {count: 9, box: [5, 5, 5]}}}\n"
               "potential: {cutoff: 2.5}\nrun: {device: host}\n"),
      "deck.yaml:3: run.steps: missing key, allowed an integer from 0 to 9007199254740992, or "
      "run.stages");
}

TEST(BadStages, AreAListOfOneOrMore) {
  EXPECT_EQ(error_in(staged_deck_with(0, ""), {"run.stages=5"}),
            "--set run.stages: not a list, got 5, allowed a list of sections (keys and values)");
  EXPECT_EQ(error_in(staged_deck_with(0, ""), {"run.stages=[]"}),
            "--set run.stages: wrong number of entries, got 0, allowed 1 to 1000 entries");
}

TEST(BadStages, OverridesNameAnEntryThatIsThere) {
  const auto error = [](const std::string& text) {
    return error_in(staged_deck_with(0, ""), {text});
  };
  EXPECT_EQ(error("run.stages[2].steps=1"),
            "--set run.stages[2].steps: no such entry of the list, got 2, allowed 0 to 1");
  EXPECT_EQ(error("run.stages[-1].steps=1"),
            "--set run.stages[-1].steps: no such entry of the list, got -1, allowed 0 to 1");
  EXPECT_EQ(error("run.stages[x]=1"),
            "--set run.stages[x]: no such entry of the list, got x, allowed 0 to 1");
  EXPECT_EQ(error("run[0]=1"), "--set run[0]: not a list, so it has no entry 0");
  EXPECT_EQ(error("run.stages[1].steps=-1").substr(0, 40),
            "--set run.stages[1].steps: out of range,");
  EXPECT_EQ(error("run.steps=1").substr(0, 41), "--set run.steps: not beside run.stages, g");
}

TEST(BadDeckTogether, TailCorrectionInAnOpenBox) {
  const std::string error = error_in(deck_with(10, "  tail_correction: true"),
                                     {"system.boundary=[periodic, open, open]"});
  EXPECT_EQ(
      error,
      "deck.yaml:10: potential.tail_correction: a tail correction needs a fully periodic box, "
      "got an open direction, allowed boundary: [periodic, periodic, periodic], or "
      "tail_correction: false");
}

TEST(BadDeckTogether, FractionWithAFile) {
  const std::string error = error_in(
      "system: {particles: {file: a.xyz}, types: [{name: A, fraction: 1}]}\n"
      "potential: {cutoff: 2}\nrun: {steps: 1}\n");
  EXPECT_EQ(error.substr(0, 28), "deck.yaml:1: system.types: a") << error;
}

TEST(BadDeckPaths, OutputOverItsOwnInput) {
  const std::string text =
      "system: {particles: {file: out/trajectory.h5md}}\npotential: {cutoff: 2}\nrun: {steps: 1}\n"
      "output: {directory: out}\n";
  EXPECT_EQ(
      error_in(text),
      "deck.yaml:4: output.directory: output would overwrite the start file, got out, allowed "
      "a directory of its own");
  EXPECT_EQ(error_in("system: {particles: {random: {count: 9, box: [9, 9, 9]}}}\n"
                     "potential: {type: tabulated, tables: [{types: [A, A], file: out/thermo.csv, "
                     "hash: none}]}\n"
                     "run: {steps: 1}\noutput: {directory: out}\n"),
            "deck.yaml:4: output.directory: output would overwrite a table of pairs, got out, "
            "allowed a directory of its own");
  // A deck without an extension would be its own default output folder.
  const std::string plain =
      error_of([&] { parse_deck(deck_with(0, ""), "deck", {}, test_catalogue()); });
  EXPECT_EQ(plain.substr(0, 25), "deck:16: output.directory") << plain;
}

TEST(BadDeckFile, SaysWhatIsWrongWithTheFile) {
  const TemporaryFolder folder;
  const auto load = [](const std::filesystem::path& path) {
    return error_of([&] { load_deck(path, {}, test_catalogue()); });
  };
  const std::string missing = (folder / "none.yaml").string();
  EXPECT_EQ(load(missing), missing + ": file not found, allowed a YAML deck");
  const std::string directory = (folder / "").string();
  EXPECT_NE(load(directory).find("got a directory"), std::string::npos);
  EXPECT_NE(load("/dev/null").find("got not a regular file"), std::string::npos);
  EXPECT_NE(load(folder.write("empty.yaml", "")).find("empty.yaml:1: empty deck"),
            std::string::npos);
  EXPECT_NE(load(folder.write("comment.yaml", "# nothing\n")).find(":1: empty deck"),
            std::string::npos);
  EXPECT_NE(load(folder.write("list.yaml", "- a\n")).find(":1: not a deck, got a list"),
            std::string::npos);
  EXPECT_NE(load(folder.write("word.yaml", "word\n")).find(":1: not a deck, got word"),
            std::string::npos);
  const std::string utf16(
      "\xFF\xFE"
      "t\0i\0",
      6);
  EXPECT_NE(load(folder.write("utf16.yaml", utf16)).find(":1: not UTF-8 text, got a UTF-16"),
            std::string::npos);
  if (::geteuid() != 0) {  // root reads everything
    const auto closed = folder.write("closed.yaml", "a: 1\n");
    std::filesystem::permissions(closed, std::filesystem::perms::none);
    EXPECT_NE(load(closed).find("Permission denied"), std::string::npos);
  }
}

TEST(BadDeckFile, IsRefusedInBoundedTime) {
  const auto begin = std::chrono::steady_clock::now();
  const TemporaryFolder folder;
  const auto big = folder.write("big.yaml", std::string(10 << 20, 'a'));
  EXPECT_NE(error_of([&] { load_deck(big, {}, test_catalogue()); }).find("at most 1048576 bytes"),
            std::string::npos);

  std::ostringstream bomb;
  bomb << "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb << 'a' << i << ": &a" << i << " [";
    for (int j = 0; j < 9; ++j) bomb << "*a" << i - 1 << (j < 8 ? ", " : "]\n");
  }
  EXPECT_EQ(error_in(bomb.str()).substr(0, 33), "deck.yaml:1: YAML anchors (&) and");

  for (const std::string& junk :
       {std::string(1 << 20, '['), std::string(1 << 20, '{'), std::string(1 << 20, '-'),
        std::string(1 << 20, '"'), std::string(1 << 20, ':'), std::string(1 << 20, '?'),
        std::string(1 << 19, '#') + "\n"}) {
    const std::string error = error_in(junk);
    EXPECT_NE(error, "no error");
    EXPECT_LT(error.size(), 400U);
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 10.0);
}

struct BadOverride {
  std::string text;
  std::string prefix;
  std::string mention;
};

void PrintTo(const BadOverride& bad, std::ostream* out) { *out << bad.text; }

class BadSet : public ::testing::TestWithParam<BadOverride> {};

TEST_P(BadSet, GivesOneLine) {
  const BadOverride& bad = GetParam();
  const std::string error = error_in(deck_with(0, ""), {bad.text});
  EXPECT_EQ(error.substr(0, bad.prefix.size()), bad.prefix) << error;
  EXPECT_NE(error.find(bad.mention), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Overrides, BadSet,
    ::testing::Values(
        BadOverride{"potential.cutoff=-1", "--set potential.cutoff: out of range, got -1",
                    "allowed a real number"},
        BadOverride{"potential.cutof=1", "--set potential.cutof: unknown key",
                    "did you mean cutoff?"},
        BadOverride{"cutoff=1", "--set cutoff: key in the wrong section", "potential.cutoff"},
        BadOverride{"integrator.thermostat=1", "--set integrator.thermostat: unknown key",
                    "allowed type, timestep; constant temperature is"},
        BadOverride{"integrator.temperature=1", "--set integrator.temperature: only with type",
                    "langevin"},
        BadOverride{"system.temperature=1", "--set system.temperature: key in the wrong section",
                    "system.velocities.temperature"},
        BadOverride{"integrator.type=berendsen", "--set integrator.type: no such choice",
                    "velocity-rescaling, nose-hoover, fire; constant"},
        BadOverride{"integrator.barostat=1", "--set integrator.barostat: unknown key",
                    "barostat: {pressure: 1.0, relaxation_time: 1.0}"},
        BadOverride{"barostat={relaxation_time: 1.0}", "--set barostat.pressure: missing key",
                    "or a ramp {from: A, to: B} of two"},
        BadOverride{"barostat={pressure: 1.0, relaxation_time: 0}",
                    "--set barostat.relaxation_time: out of range, got 0", "1e-12"},
        BadOverride{"barostat={pressure: 1.0, relaxation_time: 1.0, every: 0}",
                    "--set barostat.every: out of range, got 0", "an integer from 1"},
        BadOverride{"barostat={type: berendsen, pressure: 1.0, relaxation_time: 1.0}",
                    "--set barostat.type: no such choice, got berendsen",
                    "stochastic-cell-rescaling"},
        BadOverride{"barostat={pressure: 1.0, relaxation_time: 1.0}",
                    "--set barostat: its noise has the temperature of a heat bath, and there is "
                    "none, got integrator.type velocity-verlet",
                    "langevin, velocity-rescaling, nose-hoover"},
        BadOverride{"units=lj", "--set units: not a section, got lj", "a section"},
        BadOverride{"units={sigma: 0.34, epsilon: 120, mass: -1}", "--set units.mass: ", "got -1"},
        BadOverride{"output.rdf=1", "--set output.rdf: unknown key", "g(r)"},
        BadOverride{"run.equilibrate=100", "--set run.equilibrate: unknown key",
                    "run.stages: [{name: equilibrate"},
        BadOverride{"run.minimize=true", "--set run.minimize: unknown key",
                    "integrator.type: fire"},
        BadOverride{"title=\xff", "--set title: not UTF-8 text, got title=?", "UTF-8 text"},
        BadOverride{"potential.cutoff", "--set potential.cutoff: not an override", "key=value"},
        BadOverride{"=1", "--set nothing: not an override", "key=value"},
        BadOverride{"potential.cutoff=", "--set potential.cutoff: no value", "a real number"},
        BadOverride{"potential.cutoff=[1", "--set potential.cutoff: a list or section",
                    "bracket is not closed"},
        BadOverride{"potential.cutoff.x=1", "--set potential.cutoff.x: not a section", "x"},
        BadOverride{"title=a\n---\nb", "--set title: second YAML document", "one document"},
        BadOverride{"title=*a", "--set title: ", ""},
        BadOverride{"system.types=[{name: A, mass: -1}]",
                    "--set system.types[0].mass: out of range, got -1", "allowed"},
        BadOverride{"system.particles.file=a.xyz",
                    "--set system.particles: more than one start, got lattice, file",
                    "exactly one of"},
        BadOverride{"neighbor.backend=none", "--set neighbor.backend: no such choice, got none",
                    "auto, par-part-no-loop, par-cell"}));

constexpr const char* gravity_deck = R"(system:
  particles:
    plummer: {count: 10, radius: 1}
  boundary: [open, open, open]
potential:
  type: softened-gravity
  softening: 0.1
run: {steps: 0}
)";

TEST(BadGravity, GivesOneLine) {
  EXPECT_EQ(error_in(gravity_deck), "no error");
  EXPECT_EQ(error_in(gravity_deck, {"system.boundary=[open, periodic, open]"}),
            "--set system.boundary: softened-gravity acts at any distance, so a periodic direction "
            "would hold infinitely many images, got a periodic direction, allowed [open, open, "
            "open]");
  for (const std::string override :
       {"potential.cutoff=2.5", "potential.truncation=cut", "potential.tail_correction=false"}) {
    const std::string key = override.substr(0, override.find('='));
    EXPECT_EQ(error_in(gravity_deck, {override}),
              "--set " + key +
                  ": only with type lennard-jones, got type softened-gravity, allowed type, "
                  "softening, gravitational_constant");
  }
  EXPECT_EQ(
      error_in(gravity_deck, {"potential.pairs=[{types: [A, A], epsilon: 1, sigma: 1}]"}),
      "--set potential.pairs: only with type lennard-jones, weeks-chandler-andersen, got type "
      "softened-gravity, allowed type, softening, gravitational_constant");
  EXPECT_EQ(error_in(gravity_deck, {"potential.softening=0"}),
            "--set potential.softening: out of range, got 0, allowed a real number from 1e-06 to "
            "1000000 sigma");
  std::string text = gravity_deck;
  text.replace(text.find("  softening: 0.1\n"), 17, "");
  EXPECT_EQ(error_in(text).substr(0, 49), "deck.yaml:5: potential.softening: missing key, al");
  EXPECT_EQ(error_in(gravity_deck, {"system.particles.plummer.count=1",
                                    "system.velocities={temperature: 1, seed: 1}"})
                .substr(0, 60),
            "--set system.velocities.temperature: a single particle has n");
}

}  // namespace
}  // namespace pencilbox::testing
