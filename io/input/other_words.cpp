#include "io/input/other_words.hpp"

#include <algorithm>
#include <array>

#include "io/input/nearest_name.hpp"

namespace pencilbox {
namespace {

constexpr std::string_view thermostats =
    "constant temperature is an integrator.type: langevin, velocity-rescaling or nose-hoover, each "
    "with its temperature; system.velocities.temperature is that of the start";
constexpr std::string_view barostat =
    "constant pressure is a section of its own, beside an integrator with a heat bath: barostat: "
    "{pressure: 1.0, relaxation_time: 1.0}, or the same in a stage";
constexpr std::string_view constant_energy =
    "constant energy is integrator: {type: velocity-verlet}, the default";
constexpr std::string_view g_of_r =
    "g(r) is measured by observables: [{type: radial-distribution, every: 100, max_distance: 2.5}]";
constexpr std::string_view displacement =
    "it is measured by observables: [{type: mean-squared-displacement, every: 10, length: 100}]";
constexpr std::string_view autocorrelation =
    "it is measured by observables: [{type: velocity-autocorrelation, every: 5, length: 100}]";
constexpr std::string_view analysis =
    "what is measured in a run is a list under observables; frames for other programs are "
    "output.trajectory";
constexpr std::string_view stages =
    "stages that follow each other are a list: run.stages: [{name: equilibrate, steps: 5000, "
    "integrator: {...}}, ...]";
constexpr std::string_view minimizer =
    "the energy is minimised by integrator.type: fire, as a rule in the first of run.stages";
constexpr std::string_view ramps =
    "a temperature may be a ramp over the steps of its stage: temperature: {from: 1.5, to: 0.7}";
constexpr std::string_view momentum =
    "zero_momentum: {every: 100} of the run, or of a stage, takes the motion of the centre of mass "
    "out";
constexpr std::string_view other_interactions =
    "there is one pair potential for all: lennard-jones or softened-gravity; no charges, no bonds";

struct Answer {
  std::string_view word;
  std::string_view section;  ///< only there; empty: anywhere
  std::string_view text;
};

constexpr std::array answers{
    Answer{"thermostat", "", thermostats},
    Answer{"barostat", "", barostat},
    Answer{"ensemble", "", thermostats},
    Answer{"nve", "", constant_energy},
    Answer{"nvt", "", thermostats},
    Answer{"npt", "", barostat},
    Answer{"langevin", "", thermostats},
    Answer{"nose_hoover", "", thermostats},
    Answer{"nose", "", thermostats},
    Answer{"csvr", "", thermostats},
    Answer{"v_rescale", "", thermostats},
    Answer{"berendsen", "", thermostats},
    Answer{"andersen", "", thermostats},
    Answer{"temperature", "run", thermostats},
    Answer{"temperature", "potential", thermostats},
    Answer{"pressure", "", barostat},
    Answer{"rdf", "", g_of_r},
    Answer{"g_r", "", g_of_r},
    Answer{"msd", "", displacement},
    Answer{"diffusion", "", displacement},
    Answer{"vacf", "", autocorrelation},
    Answer{"analysis", "", analysis},
    Answer{"compute", "", analysis},
    Answer{"equilibrate", "", stages},
    Answer{"equilibration", "", stages},
    Answer{"equilibration_steps", "", stages},
    Answer{"warmup", "", stages},
    Answer{"production", "", stages},
    Answer{"stages", "", stages},
    Answer{"phases", "", stages},
    Answer{"minimize", "", minimizer},
    Answer{"minimise", "", minimizer},
    Answer{"minimization", "", minimizer},
    Answer{"minimizer", "", minimizer},
    Answer{"energy_minimization", "", minimizer},
    Answer{"ramp", "", ramps},
    Answer{"annealing", "", ramps},
    Answer{"final_temperature", "", ramps},
    Answer{"end_temperature", "", ramps},
    Answer{"remove_momentum", "", momentum},
    Answer{"comm_mode", "", momentum},
    Answer{"nstcomm", "", momentum},
    Answer{"coulomb", "", other_interactions},
    Answer{"charges", "", other_interactions},
    Answer{"bonds", "", other_interactions},
    Answer{"angles", "", other_interactions},
    Answer{"ewald", "", other_interactions},
    Answer{"dt", "", "the time step is integrator.timestep"},
    Answer{"time_step", "run", "the time step is integrator.timestep"},
    Answer{"nsteps", "", "the number of steps is run.steps"},
    Answer{"n_steps", "", "the number of steps is run.steps"},
    Answer{"duration", "", "the length of a run is run.steps times integrator.timestep"},
    Answer{"threads", "", "the environment sets the threads of the host: OMP_NUM_THREADS"},
    Answer{"num_threads", "", "the environment sets the threads of the host: OMP_NUM_THREADS"},
    Answer{"gpu", "", "the device is run.device: auto, host, cuda or hip as built"},
    Answer{"pbc", "", "boundaries are system.boundary"},
    Answer{"periodic", "", "boundaries are system.boundary"},
    Answer{"dump", "", "frames are output.trajectory"},
    Answer{"log", "", "rows of thermo.csv are output.thermo"},
    Answer{"restart", "", "checkpoints are output.checkpoint; --resume goes on from one"}};

}  // namespace

std::string_view answer_to(std::string_view section, std::string_view word) {
  constexpr std::size_t longest = 32;
  if (word.size() > longest) return {};
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) {
    // Blind to case, and '-' is '_'.
    return edit_distance(answer.word, word) == 0 &&
           (answer.section.empty() || answer.section == section);
  });
  return found == answers.end() ? std::string_view{} : found->text;
}

}  // namespace pencilbox
