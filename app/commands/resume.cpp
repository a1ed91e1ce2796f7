#include "app/commands/resume.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/commands/program.hpp"
#include "app/commands/setup.hpp"
#include "io/input/complaint.hpp"
#include "io/input/fixed_keys.hpp"

namespace pencilbox {

namespace {

/// Holds a deck against a checkpoint; `place` is the key to blame.
class Comparison {
 public:
  Comparison(const Deck& deck, const FoundCheckpoint& found) : deck_(deck), found_(found) {}

  /// Keys say it best; but what is in a start file no key tells, and a number of particles tells
  /// more than the key that made it.
  void run() const {
    const auto difference = first_difference(found_.checkpoint.deck, fixed_keys(deck_));
    const bool from_file = std::holds_alternative<FileStart>(deck_.start);
    if (from_file || (difference && difference->key.starts_with("system."))) compare_start();
    if (difference) {
      const auto or_nothing = [](const std::string& value) {
        return value.empty() ? std::string("no such key") : value;
      };
      refuse(difference->key, "differs", or_nothing(difference->now),
             or_nothing(difference->before));
    }
    for (const ObservableState& kept : found_.checkpoint.observables) compare(kept.choice);
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& what, const std::string& got,
                           const std::string& allowed) const {
    complain(deck_.place(key), fmt::format("{} from {}", what, found_.path.string()), got, allowed);
  }

  /// One that is new in the deck begins anew; what was measured must not get lost, nor be mixed
  /// with something else.
  void compare(const ObservableChoice& before) const {
    constexpr const char* as_before = "as before; to start anew, say --overwrite without --resume";
    const auto& asked = deck_.observables;
    const auto now = std::find_if(asked.begin(), asked.end(), [&](const ObservableChoice& choice) {
      return choice.name == before.name;
    });
    if (now == asked.end()) {
      refuse("observables", before.name + " is missing, which differs", "no " + before.name,
             as_before);
    }
    if (*now == before) return;
    const ObservableParameters was = numbers_of(before), is = numbers_of(*now);
    const auto difference = std::find_if(is.begin(), is.end(), [&](const auto& one) {
      const auto old = was.find(one.first);
      return old == was.end() || old->second != one.second;
    });
    const std::string key = difference == is.end() ? "type" : difference->first;
    const auto text = [&](const ObservableParameters& numbers) {
      const auto found = numbers.find(key);
      return found == numbers.end() ? std::string("no such key")
                                    : text_of_parameter(before.name, key, found->second);
    };
    const auto number = static_cast<std::size_t>(now - asked.begin());
    complain(deck_.place_of_observable(number, key),
             fmt::format("differs from {}", found_.path.string()), text(is),
             fmt::format("{}, {}", text(was), as_before));
  }

  /// As a deck says it.
  static std::string text_of_parameter(const std::string& observable, const std::string& key,
                                       double value) {
    for (const ObservableInfo& info : build_catalogue().observables) {
      for (const WordInfo& word : info.words) {
        const bool is_it = info.name == observable && word.name == key;
        const auto number = static_cast<std::size_t>(value);
        if (is_it && number < word.choices.size()) return word.choices[number];
      }
    }
    return fmt::format("{}", value);
  }

  static ObservableParameters numbers_of(const ObservableChoice& choice) {
    ObservableParameters numbers = choice.parameters;
    numbers["every"] = static_cast<double>(choice.every);
    numbers["from"] = static_cast<double>(choice.from);
    return numbers;
  }

  void compare_start() const {
    const StartState start = make_setup(deck_).start;
    const ExactState& state = found_.checkpoint.state;
    if (start.size() != state.size()) {
      refuse("system.particles", "the number of particles differs",
             fmt::format("{} particles", start.size()), fmt::format("{}", state.size()));
    }
    const bool may_differ = deck_.has_barostat();
    if ((start.box.edges != state.box.edges && !may_differ) || start.box.lower != state.box.lower) {
      refuse("system.particles", "the box differs", text_of(start.box), text_of(state.box));
    }
    if (text_of(start.types) != text_of(state.types)) {
      refuse("system.types", "the types differ", text_of(start.types), text_of(state.types));
    }
    if (start.id != state.id || start.type != state.type) {
      refuse("system.particles", "the ids of the particles, or who is of which type, differ", "",
             "");
    }
  }

  static std::string text_of(const Box& box) {
    return fmt::format("[{}] from [{}] on", fmt::join(box.edges, ", "), fmt::join(box.lower, ", "));
  }

  static std::string text_of(const std::vector<ParticleType>& types) {
    std::string text;
    for (const ParticleType& type : types) {
      text += fmt::format("{}{} of mass {}", text.empty() ? "" : ", ", type.name, type.mass);
    }
    return text;
  }

  const Deck& deck_;
  const FoundCheckpoint& found_;
};

}  // namespace

FoundCheckpoint find_checkpoint_of(const Deck& deck) {
  FoundCheckpoint found = find_checkpoint(deck.output.directory);
  Comparison(deck, found).run();
  const std::int64_t step = found.checkpoint.state.step;
  if (step > deck.steps) {
    const bool has_list = deck.values.find("run.stages") != nullptr;
    complain(deck.place(has_list ? "run.stages" : "run.steps"),
             fmt::format("nothing is left to do: {} is of step {}", found.path.string(), step),
             fmt::format("{}", deck.steps), fmt::format("{} or more", step));
  }
  return found;
}

std::string resume_text(const Deck& deck, const FoundCheckpoint& found) {
  const std::int64_t step = found.checkpoint.state.step;
  const std::string text =
      step == deck.steps
          ? fmt::format("nothing left to do: {} is of step {}, the last", found.path.string(), step)
          : fmt::format("at step {}, from {}; {} steps to go", step, found.path.string(),
                        deck.steps - step);
  return found.note.empty() ? text : text + " (" + found.note + ")";
}

}  // namespace pencilbox
