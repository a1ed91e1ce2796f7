#include "io/input/deck.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/ramp_parameter.hpp"
#include "io/input/complaint.hpp"
#include "io/input/deck_checks.hpp"
#include "io/input/deck_schema.hpp"
#include "io/input/hdf5_start.hpp"
#include "io/input/pair_table.hpp"
#include "io/input/resolve_deck.hpp"
#include "io/input/text_file.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view deck_kind = "a YAML deck";
constexpr std::uintmax_t largest_deck = 1 << 20;  // bytes; a deck is a page, not a data file

/// The enumerator whose name the schema has let through.
template <class Enum, class Names>
Enum enum_of(const std::string& word, const Names& names) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), word) - names.begin());
}

void refuse_tabs(std::string_view text, const std::string& name) {
  int line = 1;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view row = text.substr(0, end);
    const std::size_t first = row.find_first_not_of(" \t\r");
    const bool blank = first == std::string_view::npos || row[first] == '#';
    if (!blank && row.substr(0, first).find('\t') != std::string_view::npos) {
      complain(fmt::format("{}:{}", name, line), "tab in the indentation", "a tab", "spaces");
    }
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++line;
  }
}

/// yaml-cpp drops tab-only lines badly and takes a lone carriage return for a line end of its own;
/// a deck from Windows becomes what it means.
std::string with_plain_line_ends(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool before_newline = i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] != '\r' || !before_newline) result += text[i];
  }
  return result;
}

YamlNode read_tree(std::string text, const std::string& name) {
  require_text(text, name, deck_kind);
  require_utf8(text, name, deck_kind);
  text = with_plain_line_ends(text);
  refuse_tabs(text, name);
  YamlNode root = parse_yaml(text, name, false);
  if (root.kind == YamlNode::Kind::null) {
    complain(name + ":1", "empty deck", "no keys", "sections such as system, potential and run");
  }
  if (root.kind != YamlNode::Kind::map) {
    complain(name + ":1", "not a deck", root.kind == YamlNode::Kind::list ? "a list" : root.text,
             "sections such as system, potential and run");
  }
  root.origin.line = 1;
  return root;
}

/// The back end's name as written, to know whose options the schema lists; a wrong one is reported
/// by the check that follows.
std::string backend_of(const YamlNode& root) {
  const YamlNode* neighbor = root.find("neighbor");
  const YamlNode* backend = neighbor == nullptr ? nullptr : neighbor->find("backend");
  return backend == nullptr ? std::string(default_backend) : backend->text;
}

/// Puts `value` under `key` of a section where the deck does not say it itself.
void add_default(YamlNode& section, const std::string& key, YamlNode value) {
  if (section.find(key) != nullptr) return;
  value.origin = section.origin;
  section.kind = YamlNode::Kind::map;
  section.entries.push_back({key, std::move(value)});
}

bool is_section(const YamlNode* node) {
  return node != nullptr &&
         (node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::null);
}

YamlNode text_node(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.quoted = true;
  node.text = text;
  return node;
}

/// The defaults that the table cannot know: they depend on the deck's name or on other keys. What
/// is no section is left to the check that follows.
void add_dependent_defaults(YamlNode& root, const std::string& name) {
  const std::string stem = fs::path(name).stem().string();
  add_default(root, "title", text_node(stem));
  add_default(root, "output", YamlNode{});
  if (YamlNode* output = root.find("output"); is_section(output)) {
    add_default(*output, "directory", text_node(stem));
  }
  YamlNode* system = root.find("system");
  if (!is_section(system) || !is_section(system->find("particles"))) return;
  if (system->find("particles")->find("file") != nullptr) return;  // which may say it
  add_default(*system, "types", parse_yaml("[{name: A}]", name, false));
  for (YamlNode& type : system->find("types")->items) {
    if (is_section(&type)) add_default(type, "mass", parse_yaml("1.0", name, false));
  }
}

YamlNode map_node(YamlNode value, const std::string& key) {
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  node.origin.from_override = value.origin.from_override = true;
  node.entries.push_back({key, std::move(value)});
  return node;
}

/// The particles, their types, box and boundary are those of a file, whatever the deck says.
void replace_system(YamlNode& root, const OtherStart& other) {
  YamlNode particles = map_node(text_node(fs::absolute(other.file).string()), "file");
  if (other.frame) {
    YamlNode frame = text_node(fmt::format("{}", *other.frame));
    frame.quoted = false;
    frame.origin.from_override = true;
    particles.entries.push_back({"frame", std::move(frame)});
  }
  YamlNode system = map_node(std::move(particles), "particles");
  if (YamlNode* own = root.find("system")) {
    *own = std::move(system);
  } else {
    root.entries.push_back({"system", std::move(system)});
  }
}

bool says_boundary(const YamlNode& root) {
  const YamlNode* system = root.find("system");
  return system != nullptr && system->find("boundary") != nullptr;
}

/// What an HDF5 start file knows and the deck leaves open. What cannot be read now is told when the
/// particles are.
void settle_hdf5_start(Deck& deck, bool says_boundary, const std::string& place) {
  auto* start = std::get_if<FileStart>(&deck.start);
  if (start == nullptr || !is_hdf5_file(start->path)) return;
  const Hdf5StartInfo info = inspect_hdf5_start(start->path);
  if (!says_boundary) {
    deck.periodic = info.periodic;
    auto& boundary = std::get<DeckValue::List>(deck.values.find("system.boundary")->data);
    for (std::size_t d = 0; d < 3; ++d) {
      boundary[d].data = std::string(info.periodic[d] ? "periodic" : "open");
    }
  }
  if (!info.is_trajectory) return;
  const std::int64_t wanted = start->frame.value_or(-1);
  const std::int64_t frame = wanted < 0 ? wanted + info.frames : wanted;
  if (frame < 0 || frame >= info.frames) {
    complain(place, "no such frame", fmt::format("{}", wanted),
             fmt::format("0 to {}, or -1 (the last) to -{}, of {}", info.frames - 1, info.frames,
                         start->path.string()));
  }
  start->frame = frame;
  if (DeckValue* value = deck.values.find("system.particles.frame")) {
    value->data = frame;
  } else {
    DeckValue* particles = deck.values.find("system.particles");
    auto& keys = std::get<DeckValue::Section>(particles->data);
    keys.resize(keys.size() + 1);
    keys.back().first = "frame";
    keys.back().second.data = frame;
    keys.back().second.origin = particles->origin;
  }
}

/// Fills a typed deck from checked values.
class Binder {
 public:
  Binder(DeckValue values, const std::string& name, const DeckSchema& schema) : schema_(schema) {
    deck_.values = std::move(values);
    deck_.name = name;
  }

  Deck bind() {
    deck_.title = values().text("title");
    if (values().find("units") != nullptr) {
      deck_.units = RealUnits{values().real("units.sigma"), values().real("units.epsilon"),
                              values().real("units.mass")};
    }
    bind_start();
    bind_types();
    bind_potential();
    bind_run();
    bind_stages();
    bind_observables();
    bind_output();
    return std::move(deck_);
  }

 private:
  const DeckValue& values() const { return deck_.values; }

  std::uint64_t seed(std::string_view path) const {
    return static_cast<std::uint64_t>(values().integer(path));
  }

  Double3 real3(std::string_view path) const {
    Double3 result{};
    for (std::size_t d = 0; d < 3; ++d) result[d] = std::get<double>(values().list(path)[d].data);
    return result;
  }

  void bind_start() {
    const std::string particles = "system.particles.";
    if (values().find(particles + "lattice") != nullptr) {
      bind_lattice(particles + "lattice.");
    } else if (values().find(particles + "random") != nullptr) {
      bind_random(particles + "random.");
    } else if (values().find(particles + "plummer") != nullptr) {
      bind_plummer(particles + "plummer.");
    } else {
      bind_file(particles + "file");
    }
    if (values().find("system.velocities") != nullptr) {
      deck_.velocities = VelocityStart{values().real("system.velocities.temperature"),
                                       seed("system.velocities.seed")};
    }
    const DeckValue::List& boundary = values().list("system.boundary");
    for (std::size_t d = 0; d < 3; ++d) {
      deck_.periodic[d] = std::get<std::string>(boundary[d].data) == "periodic";
    }
  }

  void bind_lattice(const std::string& path) {
    LatticeStart lattice;
    lattice.type = enum_of<LatticeType>(values().text(path + "type"), lattice_names);
    lattice.density = values().real(path + "density");
    for (std::size_t d = 0; d < 3; ++d) {
      lattice.cells[d] = std::get<std::int64_t>(values().list(path + "cells")[d].data);
    }
    lattice.gap = real3(path + "gap");
    deck_.start = lattice;
  }

  void bind_random(const std::string& path) {
    RandomStart random;
    random.count = values().integer(path + "count");
    random.box = real3(path + "box");
    random.seed = seed(path + "seed");
    random.minimum_distance = values().real(path + "minimum_distance");
    deck_.start = random;
  }

  void bind_plummer(const std::string& path) {
    PlummerStart sphere;
    sphere.count = values().integer(path + "count");
    sphere.radius = values().real(path + "radius");
    sphere.seed = seed(path + "seed");
    deck_.start = sphere;
  }

  void bind_file(const std::string& path) {
    FileStart start{make_absolute(path)};
    if (const DeckValue* frame = values().find("system.particles.frame")) {
      start.frame = std::get<std::int64_t>(frame->data);
    }
    deck_.start = start;
  }

  /// The file that stands there, relative to the deck; in the tree it becomes absolute, so that the
  /// resolved deck is good in any folder.
  fs::path make_absolute(const std::string& path) {
    const fs::path file =
        (fs::path(deck_.name).parent_path() / values().text(path)).lexically_normal();
    deck_.values.find(path)->data = fs::absolute(file).lexically_normal().string();
    return file;
  }

  void bind_types() {
    deck_.type_seed = seed("system.type_seed");
    if (values().find("system.types") == nullptr) return;
    for (const DeckValue& type : values().list("system.types")) {
      const bool has_mass = type.find("mass") != nullptr;
      const bool has_fraction = type.find("fraction") != nullptr;
      deck_.types.push_back({type.text("name"), has_mass ? type.real("mass") : 1.0, has_mass,
                             has_fraction ? type.real("fraction") : 1.0});
    }
  }

  void bind_potential() {
    deck_.potential = enum_of<PotentialType>(values().text("potential.type"), potential_names);
    switch (deck_.potential) {
      case PotentialType::softened_gravity:
        deck_.softening = values().real("potential.softening");
        deck_.gravitational_constant = values().real("potential.gravitational_constant");
        return;
      case PotentialType::lennard_jones:
        bind_truncation();
        return bind_pairs();
      case PotentialType::weeks_chandler_andersen:
        return bind_pairs();
      case PotentialType::tabulated:
        return bind_tables();
    }
  }

  void bind_truncation() {
    deck_.cutoff = values().real("potential.cutoff");
    deck_.truncation = enum_of<Truncation>(values().text("potential.truncation"), truncation_names);
    deck_.tail_correction = values().boolean("potential.tail_correction");
  }

  void bind_pairs() {
    if (values().find("potential.pairs") == nullptr) return;
    for (const DeckValue& pair : values().list("potential.pairs")) {
      const DeckValue::List& types = pair.list("types");
      deck_.pairs.push_back(
          {{std::get<std::string>(types[0].data), std::get<std::string>(types[1].data)},
           {pair.real("epsilon"), pair.real("sigma"),
            pair.find("cutoff") != nullptr ? std::optional(pair.real("cutoff")) : std::nullopt}});
    }
  }

  void bind_tables() {
    const std::size_t count = values().list("potential.tables").size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string entry = fmt::format("potential.tables[{}]", i);
      const fs::path file = make_absolute(entry + ".file");
      const std::string hash = settle_hash(entry, file);
      const DeckValue& pair = values().list("potential.tables")[i];
      const DeckValue::List& types = pair.list("types");
      deck_.tables.push_back(
          {{std::get<std::string>(types[0].data), std::get<std::string>(types[1].data)},
           file,
           hash,
           pair.find("cutoff") != nullptr ? std::optional(pair.real("cutoff")) : std::nullopt});
    }
  }

  /// As given, or that of the file as it is now: what goes on, or runs again, has the same table.
  std::string settle_hash(const std::string& entry, const fs::path& file) {
    DeckValue& table = *deck_.values.find(entry);
    if (table.find("hash") == nullptr) {
      require_file(file, deck_.place(entry + ".file"), pair_table_kind);
      DeckValue hash(hash_of_pair_table(file), table.origin_of("file"));
      std::get<DeckValue::Section>(table.data).emplace_back("hash", std::move(hash));
    }
    return table.text("hash");
  }

  void bind_run() {
    deck_.backend = values().text("neighbor.backend");
    for (const auto& [option, value] : values().section("neighbor.options")) {
      deck_.options[option] = std::get<std::string>(value.data);
    }
    if (const auto* skin = std::get_if<double>(&values().find("neighbor.skin")->data)) {
      deck_.skin = *skin;
    }
    deck_.list_until = enum_of<ListUntil>(values().text("neighbor.list_until"), list_until_names);
    deck_.precision = enum_of<Precision>(values().text("run.precision"), precision_names);
    deck_.device = values().text("run.device");
    deck_.deterministic = values().boolean("run.deterministic");
    deck_.executor = enum_of<Executor>(values().text("run.executor"), executor_names);
    deck_.exchange = enum_of<Exchange>(values().text("run.exchange"), exchange_names);
    deck_.balance = enum_of<Balance>(values().text("run.balance"), balance_names);
    bind_ranks();
  }

  void bind_ranks() {
    const auto* list = std::get_if<DeckValue::List>(&values().find("run.ranks")->data);
    if (list == nullptr) return;
    std::array<int, 3>& ranks = deck_.ranks.emplace();
    for (std::size_t d = 0; d < 3; ++d) {
      ranks[d] = static_cast<int>(std::get<std::int64_t>((*list)[d].data));
    }
  }

  void bind_stages() {
    if (values().find("run.stages") == nullptr) {
      add_stage({}, *values().find("run"), *values().find("integrator"), values().find("barostat"));
      return;
    }
    for (const DeckValue& stage : values().list("run.stages")) {
      add_stage(stage.text("name"), stage, *stage.find("integrator"), stage.find("barostat"));
    }
  }

  /// `section` has its steps; a barostat need not be there.
  void add_stage(const std::string& name, const DeckValue& section, const DeckValue& integrator,
                 const DeckValue* barostat) {
    DeckStage stage;
    stage.name = name;
    stage.steps = section.integer("steps");
    if (section.find("zero_momentum") != nullptr) {
      stage.zero_momentum_every = section.integer("zero_momentum.every");
    }
    stage.integrator = integrator.text("type");
    stage.timestep = integrator.real("timestep");
    for (const auto& [key, value] : std::get<DeckValue::Section>(integrator.data)) {
      if (key == "type" || key == "timestep") continue;
      bind_parameter(stage.parameters, key, value);
    }
    if (barostat != nullptr) {
      stage.barostat = Barostat{barostat->text("type")};
      for (const auto& [key, value] : std::get<DeckValue::Section>(barostat->data)) {
        if (key != "type") bind_parameter(stage.barostat->parameters, key, value);
      }
    }
    if (!deck_.stages.empty()) {
      const DeckStage& before = deck_.stages.back();
      stage.first_step = before.last_step();
      stage.first_time = before.first_time + static_cast<double>(before.steps) * before.timestep;
    }
    require_steps_that_count(name, section, stage.steps);
    deck_.steps += stage.steps;
    deck_.stages.push_back(std::move(stage));
  }

  /// Each by itself has been checked.
  void require_steps_that_count(const std::string& name, const DeckValue& section,
                                std::int64_t steps) const {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    if (steps <= most - deck_.steps) return;
    complain(place_of(deck_.name, section.origin_of("steps"),
                      fmt::format("run.stages[{}].steps", deck_.stages.size())),
             "too many steps before and in stage " + name, fmt::format("{}", steps),
             fmt::format("at most {} for all stages together", most));
  }

  static void bind_parameter(IntegratorParameters& parameters, const std::string& key,
                             const DeckValue& value) {
    if (!std::holds_alternative<DeckValue::Section>(value.data)) {
      parameters[key] = number_of(value);
      return;
    }
    parameters[key] = value.real("from");
    parameters[ramp_end(key)] = value.real("to");
  }

  static double number_of(const DeckValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value.data);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value.data);
  }

  double number_of_word(const std::string& key, const std::string& word) const {
    const std::vector<std::string>& choices = schema_.find("observables[]." + key)->choices;
    return static_cast<double>(std::find(choices.begin(), choices.end(), word) - choices.begin());
  }

  void bind_observables() {
    if (values().find("observables") == nullptr) return;
    auto& entries = std::get<DeckValue::List>(deck_.values.find("observables")->data);
    for (DeckValue& entry : entries) {
      // Means and correlations over more than one stage are of no system in particular.
      auto& from = std::get<std::int64_t>(entry.find("from")->data);
      from = std::max(from, deck_.stages.back().first_step);
      ObservableChoice choice{
          entry.text("type"), entry.integer("every"), entry.integer("from"), {}};
      for (const auto& [key, value] : std::get<DeckValue::Section>(entry.data)) {
        if (key == "type" || key == "every" || key == "from") continue;
        const auto* word = std::get_if<std::string>(&value.data);
        choice.parameters[key] = word != nullptr ? number_of_word(key, *word) : number_of(value);
      }
      deck_.observables.push_back(std::move(choice));
    }
  }

  void bind_output() {
    deck_.output.directory = values().text("output.directory");
    deck_.output.thermo_every = values().integer("output.thermo.every");
    if (values().find("output.checkpoint") != nullptr) {
      deck_.output.checkpoint_every = values().integer("output.checkpoint.every");
    }
    if (values().find("output.trajectory") == nullptr) return;
    DeckTrajectory trajectory;
    trajectory.every = values().integer("output.trajectory.every");
    trajectory.fields.insert(Field::position);
    for (const DeckValue& field : values().list("output.trajectory.fields")) {
      trajectory.fields.insert(enum_of<Field>(std::get<std::string>(field.data), field_names));
    }
    trajectory.compression = static_cast<int>(values().integer("output.trajectory.compression"));
    trajectory.split_every = values().integer("output.trajectory.split_every");
    deck_.output.trajectory = trajectory;
  }

  const DeckSchema& schema_;
  Deck deck_;
};

}  // namespace

std::size_t Deck::stage_at(std::int64_t step) const {
  std::size_t stage = 0;
  while (stage + 1 < stages.size() && step >= stages[stage].last_step()) ++stage;
  return stage;
}

bool Deck::has_barostat() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const DeckStage& stage) { return stage.barostat.has_value(); });
}

double Deck::time_at(std::int64_t step) const {
  const DeckStage& stage = stages[stage_at(step)];
  return stage.first_time + static_cast<double>(step - stage.first_step) * stage.timestep;
}

bool Deck::changes_stage_at(std::int64_t step) const {
  return step < steps && step > 0 && stages[stage_at(step)].first_step == step;
}

std::string Deck::where(const std::string& path) const {
  const Origin origin = values.origin_of(path);
  return origin.from_override ? "--set" : fmt::format("{}:{}", name, origin.line);
}

std::string Deck::place(const std::string& path) const {
  return place_of(name, values.origin_of(path), path);
}

std::string Deck::place_of_observable(std::size_t number, const std::string& key) const {
  const DeckValue& entry = values.list("observables")[number];
  return place_of(name, entry.origin_of(key), fmt::format("observables[{}].{}", number, key));
}

Deck parse_deck(std::string text, const std::string& name,
                const std::vector<std::string>& overrides, const Catalogue& catalogue,
                const std::optional<OtherStart>& other) {
  YamlNode root = read_tree(std::move(text), name);
  if (other) replace_system(root, *other);
  apply_overrides(root, overrides);
  add_dependent_defaults(root, name);
  const DeckSchema schema(catalogue, backend_of(root));
  Deck deck = Binder(resolve_deck(root, schema, name), name, schema).bind();
  settle_hdf5_start(deck, says_boundary(root),
                    other ? other->place : deck.place("system.particles.frame"));
  check_deck(deck, !other);
  return deck;
}

Deck load_deck(const fs::path& path, const std::vector<std::string>& overrides,
               const Catalogue& catalogue, const std::optional<OtherStart>& other) {
  return parse_deck(read_text_file(path, deck_kind, largest_deck), path.string(), overrides,
                    catalogue, other);
}

std::string resolved_yaml(const Deck& deck) { return to_yaml(deck.values); }

}  // namespace pencilbox
