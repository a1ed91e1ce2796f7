#include "io/input/deck_schema.hpp"

#include <algorithm>

#include "core/balance.hpp"
#include "core/barostat.hpp"
#include "core/exchange.hpp"
#include "core/executor.hpp"
#include "core/interactions/lennard_jones_model.hpp"
#include "core/interactions/potential.hpp"
#include "core/lattice.hpp"
#include "core/list_until.hpp"
#include "core/observation.hpp"
#include "core/precision.hpp"
#include "core/ramp_parameter.hpp"

namespace pencilbox {
namespace {

constexpr double most_particles = std::numeric_limits<ParticleId>::max();
constexpr double largest_seed = 0x1p53;  // every integer up to here is exact in JSON, too
constexpr double most_steps = 0x1p53;
constexpr double largest_side = 1e7;      // sigma; double still resolves 1e-9 of it
constexpr std::size_t any_number = 1000;  // entries of a list without a limit of its own

template <class Names>
std::vector<std::string> words(const Names& names) {
  return {names.begin(), names.end()};
}

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.push_back(info.name);
  return names;
}

std::vector<std::string> device_choices(const Catalogue& catalogue) {
  std::vector<std::string> choices{"auto"};
  choices.insert(choices.end(), catalogue.devices.begin(), catalogue.devices.end());
  return choices;
}

/// The sections `title` and `system`.
std::vector<KeyRule> system_rules() {
  return {
      {.path = "title",
       .kind = KeyKind::text,
       .documentation = "What the run is about, for people; default: the deck's name"},
      {.path = "system",
       .kind = KeyKind::section,
       .presence = Presence::required,
       .documentation = "The particles, their types and their box"},
      {.path = "system.particles",
       .kind = KeyKind::section,
       .presence = Presence::required,
       .documentation = "Where the particles start: exactly one of lattice, random, file and "
                        "plummer"},
      {.path = "system.particles.lattice",
       .kind = KeyKind::section,
       .presence = Presence::alternative,
       .documentation = "A perfect cubic crystal in its box, whose lower corner is at the origin"},
      {.path = "system.particles.lattice.type",
       .kind = KeyKind::choice,
       .presence = Presence::required,
       .documentation = "Simple, body-centred or face-centred cubic: 1, 2 or 4 particles a cell",
       .choices = words(lattice_names)},
      {.path = "system.particles.lattice.density",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Number density",
       .unit = "particles/sigma^3",
       .minimum = 1e-9,
       .maximum = 10.0},
      {.path = "system.particles.lattice.cells",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Unit cells in x, y and z",
       .minimum = 1,
       .maximum = most_particles,
       .least = 3,
       .most = 3},
      {.path = "system.particles.lattice.gap",
       .kind = KeyKind::real,
       .default_value = "[0.0, 0.0, 0.0]",
       .documentation = "Of the box in x, y and z that the crystal leaves empty, half on each side",
       .unit = "sigma",
       .minimum = 0.0,
       .maximum = largest_side,
       .least = 3,
       .most = 3},
      {.path = "system.particles.random",
       .kind = KeyKind::section,
       .presence = Presence::alternative,
       .documentation = "Particles at random, uniform in their box, lower corner at the origin"},
      {.path = "system.particles.random.count",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Number of particles",
       .minimum = 1,
       .maximum = most_particles},
      {.path = "system.particles.random.box",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Sides of the box in x, y and z",
       .unit = "sigma",
       .minimum = 1e-3,
       .maximum = largest_side,
       .least = 3,
       .most = 3},
      {.path = "system.particles.random.seed",
       .kind = KeyKind::integer,
       .default_value = "1",
       .documentation = "Seed of the positions",
       .minimum = 0,
       .maximum = largest_seed},
      {.path = "system.particles.random.minimum_distance",
       .kind = KeyKind::real,
       .default_value = "0.0",
       .documentation = "No two particles start nearer than this; 0: no such demand",
       .unit = "sigma",
       .minimum = 0.0,
       .maximum = largest_side},
      {.path = "system.particles.file",
       .kind = KeyKind::text,
       .presence = Presence::alternative,
       .documentation = "A LAMMPS data file (atomic style), an extended XYZ file, or the "
                        "checkpoint.h5 or trajectory.h5md of a run; its path is relative to the "
                        "deck"},
      {.path = "system.particles.frame",
       .kind = KeyKind::integer,
       .documentation = "Frame of a trajectory.h5md: 0 is the first, -1 the last; only with file; "
                        "absent: the last",
       .minimum = -largest_seed,
       .maximum = largest_seed},
      {.path = "system.particles.plummer",
       .kind = KeyKind::section,
       .presence = Presence::alternative,
       .documentation = "A star cluster in equilibrium around the origin: a Plummer sphere, with "
                        "its velocities; needs softened-gravity"},
      {.path = "system.particles.plummer.count",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Number of bodies",
       .minimum = 1,
       .maximum = most_particles},
      {.path = "system.particles.plummer.radius",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Scale radius; half of the mass lies within 1.305 of it",
       .unit = "sigma",
       .minimum = 1e-3,
       .maximum = largest_side},
      {.path = "system.particles.plummer.seed",
       .kind = KeyKind::integer,
       .default_value = "1",
       .documentation = "Seed of the positions and velocities",
       .minimum = 0,
       .maximum = largest_seed},
      {.path = "system.velocities",
       .kind = KeyKind::section,
       .documentation = "Draw velocities from the Maxwell-Boltzmann distribution, total momentum "
                        "zero; absent: those of the start file or the Plummer sphere, or zero"},
      {.path = "system.velocities.temperature",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "The exact start temperature, 3N-3 degrees of freedom",
       .unit = "epsilon",
       .minimum = 0.0,
       .maximum = 1e6},
      {.path = "system.velocities.seed",
       .kind = KeyKind::integer,
       .default_value = "1",
       .documentation = "Seed of the velocities",
       .minimum = 0,
       .maximum = largest_seed},
      {.path = "system.types",
       .kind = KeyKind::section_list,
       .documentation = "Particle types; absent: one type A of mass 1, or those of the start file",
       .least = 1,
       .most = any_number},
      {.path = "system.types[].name",
       .kind = KeyKind::name,
       .presence = Presence::required,
       .documentation = "The type's name in this deck and in output"},
      {.path = "system.types[].mass",
       .kind = KeyKind::real,
       .documentation = "Mass of a particle; absent: 1, or that of the start file",
       .unit = "m",
       .minimum = 1e-6,
       .maximum = 1e6},
      {.path = "system.types[].fraction",
       .kind = KeyKind::real,
       .documentation = "Share of the particles, summing to 1; needed with several types, "
                        "refused with a start file",
       .minimum = 0.0,
       .maximum = 1.0},
      {.path = "system.type_seed",
       .kind = KeyKind::integer,
       .default_value = "1",
       .documentation = "Seed of the shuffle that hands several types to particles",
       .minimum = 0,
       .maximum = largest_seed},
      {.path = "system.boundary",
       .kind = KeyKind::choice,
       .default_value = "[periodic, periodic, periodic]",
       .documentation = "Boundaries in x, y and z; open: no images, particles may leave the box",
       .choices = {"periodic", "open"},
       .least = 3,
       .most = 3},
  };
}

/// The section `units`.
std::vector<KeyRule> unit_rules() {
  return {
      {.path = "units",
       .kind = KeyKind::section,
       .documentation = "What the units of this deck are in real ones; changes nothing of the run, "
                        "which says its temperatures, lengths and times in both"},
      {.path = "units.sigma",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "The unit of length",
       .unit = "nm",
       .minimum = 1e-6,
       .maximum = 1e6},
      {.path = "units.epsilon",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "The unit of energy, by Boltzmann's constant",
       .unit = "K",
       .minimum = 1e-6,
       .maximum = 1e9},
      {.path = "units.mass",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "The unit of mass",
       .unit = "dalton",
       .minimum = 1e-6,
       .maximum = 1e9},
  };
}

std::vector<KeyRule> potential_rules() {
  const std::string lennard_jones(name_of(PotentialType::lennard_jones));
  const std::string softened_gravity(name_of(PotentialType::softened_gravity));
  const std::string weeks_chandler_andersen(name_of(PotentialType::weeks_chandler_andersen));
  const std::string tabulated(name_of(PotentialType::tabulated));
  return {
      {.path = "potential",
       .kind = KeyKind::section,
       .presence = Presence::required,
       .documentation = "The pair potential"},
      {.path = "potential.type",
       .kind = KeyKind::choice,
       .default_value = "lennard-jones",
       .documentation = "lennard-jones: u(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6); "
                        "softened-gravity: u(r) = -G m_a m_b / sqrt(r^2 + softening^2), at any "
                        "distance, in open boundaries; weeks-chandler-andersen: lennard-jones, "
                        "for each pair cut and shifted at its minimum, 2^(1/6) sigma; tabulated: "
                        "energies and forces from files",
       .choices = words(potential_names)},
      {.path = "potential.cutoff",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Pairs farther apart do not interact, but for those that have a cutoff of "
                        "their own",
       .unit = "sigma",
       .only_with = {lennard_jones},
       .minimum = 0.01,
       .maximum = 1e4},
      {.path = "potential.truncation",
       .kind = KeyKind::choice,
       .default_value = "cut",
       .documentation = "cut: u(r); shift: u(r) - u(cutoff); force-shift: energy and force vanish "
                        "at the cutoff",
       .only_with = {lennard_jones},
       .choices = words(truncation_names)},
      {.path = "potential.tail_correction",
       .kind = KeyKind::boolean,
       .default_value = "false",
       .documentation = "Add what lies beyond the cutoff of a uniform fluid to energy and "
                        "pressure; needs truncation cut and a fully periodic box",
       .only_with = {lennard_jones}},
      {.path = "potential.pairs",
       .kind = KeyKind::section_list,
       .documentation = "Coefficients of pairs of types; unlike pairs that are absent mix by "
                        "Lorentz-Berthelot; absent: epsilon = sigma = 1 for all",
       .only_with = {lennard_jones, weeks_chandler_andersen},
       .least = 1,
       .most = any_number},
      {.path = "potential.pairs[].types",
       .kind = KeyKind::name,
       .presence = Presence::required,
       .documentation = "The two types",
       .least = 2,
       .most = 2},
      {.path = "potential.pairs[].epsilon",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Depth of the well",
       .unit = "epsilon",
       .minimum = 1e-6,
       .maximum = 1e6},
      {.path = "potential.pairs[].sigma",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Distance where u changes its sign",
       .unit = "sigma",
       .minimum = 0.01,
       .maximum = 100.0},
      {.path = "potential.pairs[].cutoff",
       .kind = KeyKind::real,
       .documentation = "Of this pair, in place of potential.cutoff; unlike pairs that are absent "
                        "take the mean of theirs. Not with weeks-chandler-andersen",
       .unit = "sigma",
       .minimum = 0.01,
       .maximum = 1e4},
      {.path = "potential.tables",
       .kind = KeyKind::section_list,
       .presence = Presence::required,
       .documentation = "A table for every pair of types",
       .only_with = {tabulated},
       .least = 1,
       .most = any_number},
      {.path = "potential.tables[].types",
       .kind = KeyKind::name,
       .presence = Presence::required,
       .documentation = "The two types",
       .least = 2,
       .most = 2},
      {.path = "potential.tables[].file",
       .kind = KeyKind::text,
       .presence = Presence::required,
       .documentation = "A text file: r,energy,force and evenly spaced rows; its path is relative "
                        "to the deck"},
      {.path = "potential.tables[].hash",
       .kind = KeyKind::text,
       .documentation = "sha256: and what sha256sum says of the file; absent: not looked at"},
      {.path = "potential.tables[].cutoff",
       .kind = KeyKind::real,
       .documentation = "Pairs farther apart do not interact; absent: where the table ends",
       .unit = "sigma",
       .minimum = 0.01,
       .maximum = 1e4},
      {.path = "potential.softening",
       .kind = KeyKind::real,
       .presence = Presence::required,
       .documentation = "Length below which gravity no longer grows",
       .unit = "sigma",
       .only_with = {softened_gravity},
       .minimum = 1e-6,
       .maximum = 1e6},
      {.path = "potential.gravitational_constant",
       .kind = KeyKind::real,
       .default_value = "1.0",
       .documentation = "G; the masses are those of system.types",
       .only_with = {softened_gravity},
       .minimum = 1e-15,
       .maximum = 1e15},
  };
}

constexpr const char* stage_list = "run.stages";

/// The key of `section`, which is the run or one of its stages.
KeyRule zero_momentum_every(const std::string& section) {
  return {.path = section + ".zero_momentum.every",
          .kind = KeyKind::integer,
          .default_value = "0",
          .documentation = "And then at multiples of so many steps; 0: not again",
          .unit = "steps",
          .minimum = 0,
          .maximum = most_steps};
}

/// Each has what a run without stages has for all of it.
std::vector<KeyRule> stage_rules() {
  return {
      {.path = "run.stages",
       .kind = KeyKind::section_list,
       .documentation =
           "Stages that follow each other, such as minimise, equilibrate and produce, in "
           "place of run.steps, run.zero_momentum, integrator and barostat; absent: one",
       .least = 1,
       .most = any_number},
      {.path = "run.stages[].name",
       .kind = KeyKind::name,
       .presence = Presence::required,
       .documentation = "What it is called in the report, each name once"},
      {.path = "run.stages[].steps",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Time steps of the stage",
       .minimum = 1,
       .maximum = most_steps},
      {.path = "run.stages[].integrator",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "How the equations of motion are integrated in the stage"},
      {.path = "run.stages[].barostat",
       .kind = KeyKind::section,
       .documentation = "What keeps the pressure of the stage; absent: the box stays"},
      {.path = "run.stages[].zero_momentum",
       .kind = KeyKind::section,
       .documentation = "Take the motion of the centre of mass out where the stage begins; absent: "
                        "never"},
      zero_momentum_every("run.stages[]"),
  };
}

std::vector<KeyRule> run_rules(const Catalogue& catalogue) {
  return {
      {.path = "neighbor",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "How neighbours are found and their interactions evaluated"},
      {.path = "neighbor.backend",
       .kind = KeyKind::choice,
       .default_value = std::string(default_backend),
       .documentation = "The back end; `pencilbox backends` lists them",
       .choices = names_of(catalogue.backends)},
      {.path = "neighbor.options",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "The back end's own options; `pencilbox backends NAME` lists them"},
      {.path = "neighbor.skin",
       .kind = KeyKind::real,
       .default_value = "auto",
       .documentation = "By how much a list of pairs reaches beyond the cutoff, for back ends that "
                        "keep one (neighbor.list_until says how long); auto: found while running, "
                        "0.4 of the largest sigma where the run is "
                        "deterministic",
       .unit = "sigma",
       .minimum = 0,
       .maximum = 1e6,
       .choices = {"auto"}},
      {.path = "neighbor.list_until",
       .kind = KeyKind::choice,
       .default_value = "auto",
       .documentation = "How long a list of pairs is used; displacement: until a particle is half "
                        "the skin away from where the list has it, missed-pair: until a pair that "
                        "the list has not comes within the cutoff, which is looked for around "
                        "particles that are farther away than that, auto: what is faster for this "
                        "system on this device",
       .choices = words(list_until_names)},
      {.path = "integrator",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "How the equations of motion are integrated; not beside run.stages",
       .not_beside = stage_list},
      {.path = "barostat",
       .kind = KeyKind::section,
       .documentation = "What keeps the pressure, beside an integrator with a heat bath; absent: "
                        "the box stays; not beside run.stages",
       .not_beside = stage_list},
      {.path = "run",
       .kind = KeyKind::section,
       .presence = Presence::required,
       .documentation = "How long, on what and how exactly"},
      {.path = "run.steps",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Time steps; 0 evaluates the start and stops; not beside stages",
       .not_beside = stage_list,
       .minimum = 0,
       .maximum = most_steps},
      {.path = "run.zero_momentum",
       .kind = KeyKind::section,
       .documentation =
           "Take the motion of the centre of mass out at the beginning; absent: never; "
           "not beside stages",
       .not_beside = stage_list},
      zero_momentum_every("run"),
      {.path = "run.precision",
       .kind = KeyKind::choice,
       .default_value = "mixed",
       .documentation = "single: all float, sums in double; mixed: only pair arithmetic float; "
                        "double: all double",
       .choices = words(precision_names)},
      {.path = "run.device",
       .kind = KeyKind::choice,
       .default_value = "auto",
       .documentation = "Where kernels run; auto takes the GPU where one answers, a device asked "
                        "for by name is never replaced",
       .choices = device_choices(catalogue)},
      {.path = "run.deterministic",
       .kind = KeyKind::boolean,
       .default_value = "false",
       .documentation = "Bit-identical output on every run of the same build and device"},
      {.path = "run.ranks",
       .kind = KeyKind::integer,
       .default_value = "auto",
       .documentation = "Ranks in x, y and z, which share the box: processes of one machine, or of "
                        "many under mpirun or srun; auto: as many as are started or --ranks says, "
                        "in the grid with the least surface",
       .minimum = 1,
       .maximum = 1 << 20,
       .least = 3,
       .most = 3,
       .words_for_all = {"auto"}},
      {.path = "run.exchange",
       .kind = KeyKind::choice,
       .default_value = "auto",
       .documentation =
           "How letters of a step travel between ranks; direct: kernels store into the "
           "neighbour's memory, where all GPUs of a machine reach each other's, host: "
           "through memory of the host, by MPI, auto: direct where it can be",
       .choices = words(exchange_names)},
      {.path = "run.balance",
       .kind = KeyKind::choice,
       .default_value = "auto",
       .documentation = "How ranks share cells; auto: as much work for each, dealt out anew where "
                        "waiting costs more than that, off: as many cells for each",
       .choices = words(balance_names)},
      {.path = "run.executor",
       .kind = KeyKind::choice,
       .default_value = "auto",
       .documentation = "How steps reach the device; launched: one kernel after the other, graph: "
                        "many steps noted once and launched as one, persistent: from one rebuild "
                        "of a list to the next in one kernel, auto: on a GPU persistent "
                        "where it can be, else graphs",
       .choices = words(executor_names)},
  };
}

std::vector<KeyRule> output_rules() {
  return {
      {.path = "output",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "What a run leaves"},
      {.path = "output.directory",
       .kind = KeyKind::text,
       .documentation = "Folder of all output, relative to the working directory; default: the "
                        "deck's name without extension"},
      {.path = "output.thermo",
       .kind = KeyKind::section,
       .default_value = "{}",
       .documentation = "Rows of thermo.csv"},
      {.path = "output.thermo.every",
       .kind = KeyKind::integer,
       .default_value = "100",
       .documentation = "Steps between two rows; beside these, the first and last step have one",
       .unit = "steps",
       .minimum = 1,
       .maximum = most_steps},
      {.path = "output.trajectory",
       .kind = KeyKind::section,
       .documentation = "Frames of trajectory.h5md; absent: none"},
      {.path = "output.trajectory.every",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Steps between two frames; beside these, the first and last step have one",
       .unit = "steps",
       .minimum = 1,
       .maximum = most_steps},
      {.path = "output.trajectory.fields",
       .kind = KeyKind::choice,
       .default_value = "[position, velocity, potential_energy, species]",
       .documentation = "Per-particle fields of a frame; position is always there",
       .choices = words(field_names),
       .least = 1,
       .most = field_names.size()},
      {.path = "output.trajectory.compression",
       .kind = KeyKind::integer,
       .default_value = "0",
       .documentation = "Level of gzip for what has a value for each particle; 0: none",
       .minimum = 0,
       .maximum = 9},
      {.path = "output.trajectory.split_every",
       .kind = KeyKind::integer,
       .default_value = "0",
       .documentation = "Frames in a file, trajectory-0000.h5md and so on; 0: all in one",
       .unit = "frames",
       .minimum = 0,
       .maximum = most_steps},
      {.path = "output.checkpoint",
       .kind = KeyKind::section,
       .documentation = "State to resume from, in checkpoint.h5; absent: only where a run is "
                        "stopped before its last step"},
      {.path = "output.checkpoint.every",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Steps between two checkpoints; beside these, the last step has one",
       .unit = "steps",
       .minimum = 1,
       .maximum = most_steps},
  };
}

/// Quotes, because what a back end calls its default is text, whatever YAML would take it for.
std::string as_yaml_text(const std::string& text) { return '"' + text + '"'; }

}  // namespace

std::string_view KeyRule::name() const {
  return std::string_view(path).substr(path.rfind('.') + 1);  // npos + 1 is 0
}

std::string_view KeyRule::parent() const {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string_view{} : std::string_view(path).substr(0, dot);
}

std::vector<KeyRule> option_rules(const BackendInfo& backend) {
  std::vector<KeyRule> rules;
  for (const OptionInfo& option : backend.options) {
    KeyRule rule{.path = "neighbor.options." + option.name,
                 .kind = KeyKind::option,
                 .default_value = as_yaml_text(option.default_value),
                 .documentation = option.description,
                 .choices = option.choices};
    if (option.takes_integer()) {
      rule.minimum = static_cast<double>(option.minimum);
      rule.maximum = static_cast<double>(option.maximum);
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

namespace {

/// The two ends of a ramp, behind the key that may be one.
void add_ramp(std::vector<KeyRule>& rules, const std::string& path, const ParameterInfo& end) {
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const KeyRule& known) { return known.path == path; });
  if (rule == rules.end() || rule->may_ramp) return;
  rule->may_ramp = true;
  for (const char* key : {"from", "to"}) {
    const bool first = key == std::string("from");
    rules.push_back({.path = path + "." + key,
                     .kind = KeyKind::real,
                     .presence = Presence::required,
                     .documentation = first ? "Of a ramp: where the stage begins"
                                            : "Of a ramp: where the stage ends",
                     .unit = end.unit,
                     .minimum = end.minimum,
                     .maximum = end.maximum});
  }
}

/// Those of one registry that take a parameter of the same name mean the same by it: it stands
/// once.
template <class Info>
std::vector<KeyRule> parameter_rules_of(const std::vector<Info>& infos,
                                        const std::string& section) {
  std::vector<KeyRule> rules;
  for (const Info& info : infos) {
    for (const ParameterInfo& parameter : info.parameters) {
      const std::string path = section + "." + parameter.name;
      if (is_ramp_end(parameter.name)) {
        add_ramp(rules, path.substr(0, path.size() - ramp_suffix.size()), parameter);
        continue;
      }
      auto rule = std::find_if(rules.begin(), rules.end(),
                               [&](const KeyRule& known) { return known.path == path; });
      if (rule == rules.end()) {
        const bool is_required = parameter.default_value.empty();
        rules.push_back({.path = path,
                         .kind = parameter.is_integer ? KeyKind::integer : KeyKind::real,
                         .presence = is_required ? Presence::required : Presence::optional,
                         .default_value = parameter.default_value,
                         .documentation = parameter.description,
                         .unit = parameter.unit,
                         .minimum = parameter.minimum,
                         .maximum = parameter.maximum});
        rule = std::prev(rules.end());
      }
      rule->only_with.push_back(info.name);
    }
  }
  return rules;
}

/// The same with words.
std::vector<KeyRule> word_rules_of(const std::vector<ObservableInfo>& observables) {
  std::vector<KeyRule> rules;
  for (const ObservableInfo& info : observables) {
    for (const WordInfo& word : info.words) {
      const std::string path = "observables[]." + word.name;
      auto rule = std::find_if(rules.begin(), rules.end(),
                               [&](const KeyRule& known) { return known.path == path; });
      if (rule == rules.end()) {
        const bool is_required = word.default_value.empty();
        rules.push_back({.path = path,
                         .kind = KeyKind::choice,
                         .presence = is_required ? Presence::required : Presence::optional,
                         .default_value = word.default_value,
                         .documentation = word.description,
                         .choices = word.choices});
        rule = std::prev(rules.end());
      }
      rule->only_with.push_back(info.name);
    }
  }
  return rules;
}

}  // namespace

std::vector<KeyRule> integrator_rules(const std::vector<IntegratorInfo>& integrators,
                                      const std::string& section) {
  std::vector<KeyRule> rules{{.path = section + ".type",
                              .kind = KeyKind::choice,
                              .default_value = "velocity-verlet",
                              .documentation = "The integrator",
                              .choices = names_of(integrators)},
                             {.path = section + ".timestep",
                              .kind = KeyKind::real,
                              .default_value = "0.005",
                              .documentation = "Length of a time step",
                              .unit = "tau",
                              .minimum = 1e-9,
                              .maximum = 1e3}};
  std::vector<KeyRule> parameters = parameter_rules_of(integrators, section);
  std::move(parameters.begin(), parameters.end(), std::back_inserter(rules));
  return rules;
}

std::vector<KeyRule> barostat_rules(const std::string& section) {
  const std::vector<IntegratorInfo> known = barostats();
  std::vector<KeyRule> rules{{.path = section + ".type",
                              .kind = KeyKind::choice,
                              .default_value = known.front().name,
                              .documentation = "The barostat",
                              .choices = names_of(known)}};
  std::vector<KeyRule> parameters = parameter_rules_of(known, section);
  std::move(parameters.begin(), parameters.end(), std::back_inserter(rules));
  return rules;
}

std::vector<KeyRule> observable_rules(const std::vector<ObservableInfo>& observables) {
  std::vector<KeyRule> rules{
      {.path = "observables",
       .kind = KeyKind::section_list,
       .documentation = "What is measured while the run goes on, each type once; absent: nothing",
       .least = 1,
       .most = any_number},
      {.path = "observables[].type",
       .kind = KeyKind::choice,
       .presence = Presence::required,
       .documentation = "What is measured",
       .choices = names_of(observables)},
      {.path = "observables[].every",
       .kind = KeyKind::integer,
       .presence = Presence::required,
       .documentation = "Steps between two samples, which are due at multiples of it",
       .unit = "steps",
       .minimum = 1,
       .maximum = most_steps},
      {.path = "observables[].from",
       .kind = KeyKind::integer,
       .default_value = "0",
       .documentation = "No sample before this step, while the system comes to equilibrium",
       .unit = "steps",
       .minimum = 0,
       .maximum = most_steps}};
  std::vector<KeyRule> parameters = parameter_rules_of(observables, "observables[]");
  std::move(parameters.begin(), parameters.end(), std::back_inserter(rules));
  std::vector<KeyRule> words = word_rules_of(observables);
  std::move(words.begin(), words.end(), std::back_inserter(rules));
  return rules;
}

DeckSchema::DeckSchema(const Catalogue& catalogue, std::string_view backend) {
  const auto append = [this](std::vector<KeyRule> rules) {
    std::move(rules.begin(), rules.end(), std::back_inserter(rules_));
  };
  append(system_rules());
  append(unit_rules());
  append(potential_rules());
  append(run_rules(catalogue));
  append(integrator_rules(catalogue.integrators, "integrator"));
  append(barostat_rules("barostat"));
  append(stage_rules());
  append(integrator_rules(catalogue.integrators, "run.stages[].integrator"));
  append(barostat_rules("run.stages[].barostat"));
  for (const BackendInfo& info : catalogue.backends) {
    if (info.name == backend) append(option_rules(info));
  }
  append(observable_rules(catalogue.observables));
  append(output_rules());
}

std::vector<const KeyRule*> DeckSchema::children(std::string_view section,
                                                 std::string_view type) const {
  std::vector<const KeyRule*> found = children(section);
  std::erase_if(found, [&](const KeyRule* rule) { return !rule->goes_with(type); });
  return found;
}

const KeyRule* DeckSchema::find(std::string_view path) const {
  const auto rule =
      std::find_if(rules_.begin(), rules_.end(), [&](const KeyRule& r) { return r.path == path; });
  return rule == rules_.end() ? nullptr : &*rule;
}

std::vector<const KeyRule*> DeckSchema::children(std::string_view section) const {
  std::vector<const KeyRule*> found;
  for (const KeyRule& rule : rules_) {
    if (rule.parent() == section) found.push_back(&rule);
  }
  return found;
}

}  // namespace pencilbox
