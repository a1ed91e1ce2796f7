// The H5MD file: what is written is what is read, through the plain C API, also after a kill.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output/trajectory.hpp"
#include "tests/io/output_support.hpp"
#include "tests/io/sample_trajectory.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

const std::string particles_path = "/particles/all/";

FieldSet all_fields() {
  FieldSet fields;
  for (std::size_t i = 0; i < field_names.size(); ++i) fields.insert(static_cast<Field>(i));
  return fields;
}

TrajectoryHeader sample_header(Precision precision = Precision::single) {
  return {all_fields(), precision, "1.2.3", "title: \xc3\xa4 deck\n", "x-pencil", "host"};
}

template <class T, std::size_t n>
void append_stored(std::vector<double>& flat, const std::vector<std::array<T, n>>& rows,
                   Precision precision) {
  for (const auto& row : rows) {
    for (const T value : row) flat.push_back(as_stored(static_cast<double>(value), precision));
  }
}

class InPrecision : public ::testing::TestWithParam<Precision> {};

TEST_P(InPrecision, EveryFieldIsReadBackExactly) {
  const TemporaryFolder folder;
  const StartState start = sample_start(3);
  const std::size_t particles = start.id.size();
  constexpr int frames = 4;
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header(GetParam()));
  append_frames(writer, start, 0, frames);
  writer.close();

  std::vector<double> position, velocity, force, image, energy, speed, id, step, time;
  for (int i = 0; i < frames; ++i) {
    const Frame frame = sample_frame(start, i);
    append_stored(position, frame.position, GetParam());
    append_stored(velocity, frame.velocity, GetParam());
    append_stored(force, frame.force, GetParam());
    append_stored(image, frame.image, GetParam());
    for (const double value : frame.potential_energy) {
      energy.push_back(as_stored(value, GetParam()));
    }
    for (const Double3& v : frame.velocity) {
      speed.push_back(as_stored(std::hypot(v[0], v[1], v[2]), GetParam()));
    }
    id.insert(id.end(), frame.id.begin(), frame.id.end());
    step.push_back(static_cast<double>(frame.step));
    time.push_back(frame.time);
  }

  const ReadFile file(folder / "trajectory.h5md");
  const std::vector<hsize_t> vectors{frames, particles, 3}, scalars{frames, particles};
  const auto expect = [&](const std::string& name, const std::vector<hsize_t>& shape,
                          const std::vector<double>& data, hid_t type) {
    const Values values = file.values(particles_path + name);
    EXPECT_EQ(values.shape, shape) << name;
    EXPECT_EQ(values.data, data) << name;
    EXPECT_TRUE(file.stores(particles_path + name, type)) << name;
  };
  const hid_t real = GetParam() == Precision::double_ ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  expect("position/value", vectors, position, real);
  expect("velocity/value", vectors, velocity, real);
  expect("force/value", vectors, force, real);
  expect("image/value", vectors, image, H5T_STD_I32LE);
  expect("potential_energy/value", scalars, energy, real);
  expect("speed/value", scalars, speed, real);
  expect("id/value", scalars, id, H5T_STD_I32LE);
  expect("position/step", {frames}, step, H5T_STD_I64LE);
  expect("position/time", {frames}, time, H5T_IEEE_F64LE);
  expect("species", {particles}, {start.type.begin(), start.type.end()}, H5T_STD_I32LE);
  std::vector<double> mass;
  for (const auto type : start.type) mass.push_back(as_stored(type == 1 ? 2.1 : 1.0, GetParam()));
  expect("mass", {particles}, mass, real);
}

INSTANTIATE_TEST_SUITE_P(Trajectory, InPrecision,
                         ::testing::Values(Precision::single, Precision::mixed, Precision::double_),
                         [](const auto& suite) { return std::string(name_of(suite.param)); });

TEST(Trajectory, HasTheSameDataByTheNamesOfAmber) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  start.box.periodic = {true, false, true};
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 2);
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  EXPECT_EQ(file.strings("/AMBER", "Conventions").at(0), "AMBER");
  const auto expect_one_object = [&](const std::string& amber, const std::string& h5md) {
    EXPECT_EQ(file.address("/AMBER/" + amber), file.address(particles_path + h5md)) << amber;
  };
  expect_one_object("frame", "position/step");
  expect_one_object("time", "position/time");
  expect_one_object("coordinates", "position/value");
  expect_one_object("velocities", "velocity/value");
  expect_one_object("forces", "force/value");
  expect_one_object("image", "image/value");
  expect_one_object("potential_energy", "potential_energy/value");
  expect_one_object("id", "id/value");
  expect_one_object("atom_types", "species");
  expect_one_object("mass", "mass");

  const Double3& e = start.box.edges;
  const Double3& low = start.box.lower;
  using Numbers = std::vector<double>;
  EXPECT_EQ(file.values("/AMBER/cell_lengths").data, (Numbers{e[0], 0, e[2], e[0], 0, e[2]}));
  EXPECT_EQ(file.values("/AMBER/cell_angles").data, (Numbers{90, 90, 90, 90, 90, 90}));
  EXPECT_EQ(file.values("/AMBER/cell_origin").data,
            (Numbers{low[0], low[1], low[2], low[0], low[1], low[2]}));
}

TEST(Trajectory, SaysWhatTheSpecificationDemands) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  start.box.periodic = {true, false, true};
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 2);
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  EXPECT_EQ(file.numbers("/h5md", "version"), (std::vector<double>{1, 1}));
  EXPECT_FALSE(file.strings("/h5md/author", "name").at(0).empty());
  EXPECT_EQ(file.strings("/h5md/creator", "name").at(0), "pencilbox");
  EXPECT_EQ(file.strings("/h5md/creator", "version").at(0), "1.2.3");
  EXPECT_EQ(file.numbers("/particles/all/box", "dimension"), (std::vector<double>{3}));
  EXPECT_EQ(file.strings("/particles/all/box", "boundary"),
            (std::vector<std::string>{"periodic", "none", "periodic"}));
  EXPECT_EQ(file.numbers("/particles/all/box", "origin"),
            (std::vector<double>(start.box.lower.begin(), start.box.lower.end())));
  EXPECT_EQ(file.strings("/particles/all/species", "names"),
            (std::vector<std::string>{"argon", "krypton"}));
  EXPECT_EQ(file.text("/parameters/deck"), "title: \xc3\xa4 deck\n");
  EXPECT_EQ(file.strings("/parameters", "version").at(0), "1.2.3");
  EXPECT_EQ(file.strings("/parameters", "backend").at(0), "x-pencil");
  EXPECT_EQ(file.strings("/parameters", "device").at(0), "host");
  EXPECT_EQ(file.strings("/parameters", "precision").at(0), "single");

  const Values edges = file.values("/particles/all/box/edges/value");
  EXPECT_EQ(edges.shape, (std::vector<hsize_t>{2, 3, 3}));
  const Double3& e = start.box.edges;
  const std::vector<double> matrix{e[0], 0, 0, 0, e[1], 0, 0, 0, e[2]};
  EXPECT_EQ(std::vector<double>(edges.data.begin() + 9, edges.data.end()), matrix);
}

TEST(Trajectory, ObservablesArePerParticleAndAnUndefinedPressureIsNan) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 3);
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  for (std::size_t i = 0; i < 3; ++i) {
    const Observation sums = sample_observation(start, static_cast<int>(i));
    const double n = static_cast<double>(start.size());
    const auto value = [&](const std::string& name) {
      const Values values = file.values("/observables/" + name + "/value");
      EXPECT_EQ(values.shape, std::vector<hsize_t>{3}) << name;
      return values.data.at(i);
    };
    EXPECT_EQ(value("temperature"), sums.temperature);
    EXPECT_EQ(value("kinetic_energy"), sums.kinetic_energy / n);
    EXPECT_EQ(value("potential_energy"), sums.potential_energy / n);
    EXPECT_EQ(value("total_energy"), sums.total_energy() / n);
    EXPECT_TRUE(std::isnan(value("pressure")));
  }
}

TEST(Trajectory, StepAndTimeAreOneObjectEverywhere) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  const haddr_t step = file.address("/particles/all/position/step");
  const haddr_t time = file.address("/particles/all/position/time");
  EXPECT_NE(step, time);
  for (const std::string element :
       {"/particles/all/velocity", "/particles/all/force", "/particles/all/image",
        "/particles/all/potential_energy", "/particles/all/speed", "/particles/all/id",
        "/particles/all/box/edges", "/observables/temperature", "/observables/kinetic_energy",
        "/observables/potential_energy", "/observables/total_energy",
        "/observables/conserved_energy", "/observables/pressure"}) {
    EXPECT_EQ(file.address(element + "/step"), step) << element;
    EXPECT_EQ(file.address(element + "/time"), time) << element;
  }
}

TEST(Trajectory, AFrameIsAFewChunksOfItsOwn) {
  const TemporaryFolder folder;
  const StartState start = sample_start(26);  // 70,304 particles: more than one chunk
  TrajectoryHeader header = sample_header();
  TrajectoryWriter writer(folder / "trajectory.h5md", start, header);
  append_frames(writer, start, 0, 2);
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  EXPECT_EQ(file.chunk("/particles/all/position/value"), (std::vector<hsize_t>{1, 65536, 3}));
  EXPECT_EQ(file.chunk("/particles/all/id/value"), (std::vector<hsize_t>{1, 65536}));
  const Values position = file.values("/particles/all/position/value");
  const Frame last = sample_frame(start, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(position.data.at(position.data.size() - 3 + d),
              as_stored(last.position.back()[d], Precision::single));
  }
}

TEST(Trajectory, HoldsOnlyWhatWasAskedFor) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryHeader header = sample_header();
  header.fields = {};
  header.fields.insert(Field::speed);

  Frame frame = sample_frame(start, 0);
  frame.force.clear();
  frame.image.clear();
  frame.potential_energy.clear();
  frame.id.clear();
  TrajectoryWriter writer(folder / "trajectory.h5md", start, header);
  EXPECT_TRUE(writer.frame_fields().contains(Field::position));
  EXPECT_TRUE(writer.frame_fields().contains(Field::speed));
  EXPECT_FALSE(writer.frame_fields().contains(Field::force));
  writer.append(pack(frame), sample_observation(start, 0));
  writer.close();

  const ReadFile file(folder / "trajectory.h5md");
  EXPECT_TRUE(file.has("/particles/all/position"));
  EXPECT_TRUE(file.has("/particles/all/speed"));
  for (const std::string name : {"velocity", "force", "image", "potential_energy", "id"}) {
    EXPECT_FALSE(file.has(particles_path + name)) << name;
  }
}

TEST(Trajectory, KeepsIdsThatARowNumberCannotTell) {
  const TemporaryFolder folder;
  StartState start = sample_start(2);
  start.id.back() += 100;
  TrajectoryHeader header = sample_header();
  header.fields = {};
  TrajectoryWriter writer(folder / "trajectory.h5md", start, header);
  Frame frame = sample_frame(start, 0);
  frame.id.clear();
  writer.append(pack(frame), sample_observation(start, 0));
  writer.close();
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/id/value").data.back(),
            start.id.back());
}

TEST(Trajectory, RefusesAFrameThatDoesNotBelong) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 2);

  Frame lacking = sample_frame(start, 2);
  lacking.force.clear();
  EXPECT_THROW(writer.append(pack(lacking), sample_observation(start, 2)), std::logic_error);
  Frame short_one = sample_frame(start, 2);
  short_one.position.pop_back();
  EXPECT_THROW(writer.append(pack(short_one), sample_observation(start, 2)), std::logic_error);
  Frame moved = sample_frame(start, 2);
  moved.box.lower[0] += 1.0;
  EXPECT_THROW(writer.append(pack(moved), sample_observation(start, 2)), std::logic_error);
  EXPECT_THROW(writer.append(pack(sample_frame(start, 2)), sample_observation(start, 3)),
               std::logic_error);
  EXPECT_THROW(append_frames(writer, start, 1, 2), std::logic_error) << "the step came before";

  append_frames(writer, start, 2, 3);  // none of that did harm
  writer.close();
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/position/step").data,
            (std::vector<double>{0, 10, 20}));
}

TEST(Trajectory, CompressesWithoutLoss) {
  const TemporaryFolder folder;
  const StartState start = sample_start(6);
  TrajectoryHeader header = sample_header();
  const auto write = [&](const std::filesystem::path& path, int level) {
    header.compression = level;
    TrajectoryWriter writer(path, start, header);
    append_frames(writer, start, 0, 5);
    writer.close();
  };
  write(folder / "plain.h5md", 0);
  write(folder / "packed.h5md", 4);
  const ReadFile plain(folder / "plain.h5md"), packed(folder / "packed.h5md");
  for (const std::string name : {"position", "velocity", "image", "id", "speed"}) {
    const std::string path = particles_path + name + "/value";
    EXPECT_EQ(packed.values(path).data, plain.values(path).data) << name;
  }
  EXPECT_LT(std::filesystem::file_size(folder / "packed.h5md"),
            std::filesystem::file_size(folder / "plain.h5md") * 9 / 10);
}

TEST(Trajectory, ReadsAFrameWhenItHasArrived) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  const auto frame = std::make_shared<Frame>(sample_frame(start, 0));
  PackedFrame packed = pack(*frame);
  packed.rows[static_cast<std::size_t>(Field::force)] = frame->force.data();
  const std::vector<Double3> force = frame->force;
  frame->force.assign(force.size(), {});
  packed.wait = [frame, force] { std::copy(force.begin(), force.end(), frame->force.begin()); };
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header(Precision::double_));
  writer.append(packed, sample_observation(start, 0));
  writer.close();
  std::vector<double> expected;
  append_stored(expected, force, Precision::double_);
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/force/value").data,
            expected);
}

TEST(Trajectory, TakesTwoFramesWhileOneIsWritten) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  std::promise<void> let_go;
  const std::shared_future<void> gone = let_go.get_future().share();
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  PackedFrame first = pack(sample_frame(start, 0));
  first.wait = [gone] { gone.wait(); };
  writer.append(first, sample_observation(start, 0));
  append_frames(writer, start, 1, 3);  // would hang if append() waited for the disk
  EXPECT_EQ(writer.last_step(), 20);
  let_go.set_value();
  writer.wait();
  append_frames(writer, start, 3, 4);
  writer.close();
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/position/step").data,
            (std::vector<double>{0, 10, 20, 30}));
}

TEST(Trajectory, TellsAnErrorOfItsThreadAndKeepsTheFramesBefore) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 2);
  PackedFrame lost = pack(sample_frame(start, 2));
  lost.wait = [] { throw SystemError("cuda: copying memory: lost"); };
  writer.append(lost, sample_observation(start, 2));
  EXPECT_THROW(writer.wait(), SystemError);
  EXPECT_THROW(append_frames(writer, start, 3, 4), SystemError);
  EXPECT_THROW(writer.close(), SystemError);
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/position/step").data,
            (std::vector<double>{0, 10}));
}

TEST(Trajectory, WritesWhatIsQueuedBeforeItGoes) {
  const TemporaryFolder folder;
  const StartState start = sample_start(6);
  {
    TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
    append_frames(writer, start, 0, 4);
  }
  EXPECT_EQ(ReadFile(folder / "trajectory.h5md").values("/particles/all/position/step").data.size(),
            4U);
}

TEST(Trajectory, CannotBeMadeWithoutADirectory) {
  const TemporaryFolder folder;
  try {
    TrajectoryWriter(folder / "missing/trajectory.h5md", sample_start(2), sample_header());
    FAIL() << "no error";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos)
        << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(Trajectory, IsReadableWhileItIsWritten) {
  const TemporaryFolder folder;
  const StartState start = sample_start(2);
  TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
  append_frames(writer, start, 0, 3);
  writer.wait();
  // HDF5 takes a shared lock to read, and reads a copy here: it would know the file as open.
  const int other = ::open((folder / "trajectory.h5md").c_str(), O_RDONLY);
  ASSERT_GE(other, 0);
  EXPECT_EQ(::flock(other, LOCK_SH | LOCK_NB), 0);
  ::close(other);
  std::filesystem::copy_file(folder / "trajectory.h5md", folder / "copy.h5md");
  EXPECT_EQ(ReadFile(folder / "copy.h5md").values("/particles/all/position/step").data,
            (std::vector<double>{0, 10, 20}));
  writer.close();
}

/// Runs `body` in a child process; its exit status as waitpid gives it.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::exit(0);  // with the exit handlers, HDF5's among them
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

class KilledBy : public ::testing::TestWithParam<bool> {};

TEST_P(KilledBy, EveryFrameThatWasAppendedIsThere) {
  const TemporaryFolder folder;
  const StartState start = sample_start(6);
  constexpr int frames = 7;
  const int status = in_child([&] {
    TrajectoryWriter writer(folder / "trajectory.h5md", start, sample_header());
    append_frames(writer, start, 0, frames);
    writer.wait();
    if (GetParam()) std::raise(SIGKILL);
    _exit(9);
  });
  EXPECT_EQ(GetParam() ? WTERMSIG(status) : WEXITSTATUS(status), 9);

  const ReadFile file(folder / "trajectory.h5md");
  EXPECT_EQ(file.values("/particles/all/position/step").data.size(), frames);
  const Values position = file.values("/particles/all/position/value");
  ASSERT_EQ(position.shape, (std::vector<hsize_t>{frames, start.id.size(), 3}));
  std::vector<double> expected;
  for (int i = 0; i < frames; ++i) {
    append_stored(expected, sample_frame(start, i).position, Precision::single);
  }
  EXPECT_EQ(position.data, expected);
  const std::string sidecar = read_text(folder / "trajectory.xmf2");
  EXPECT_NE(sidecar.find(">6 0 0 1 1 1 1 864 3<"), std::string::npos);
  EXPECT_TRUE(sidecar.ends_with("</Xdmf>\n"));
}

INSTANTIATE_TEST_SUITE_P(Trajectory, KilledBy, ::testing::Bool(), [](const auto& suite) {
  return suite.param ? std::string("signal") : std::string("exit");
});

/// Appends until the disk is full; 0 if that was told in the words of `reason`, and told again.
int fill_disk(const std::filesystem::path& path, const StartState& start,
              const std::string& reason) {
  TrajectoryWriter writer(path, start, sample_header());
  int appended = 0;
  const auto refused = [&](const std::string& words) {
    try {
      for (; appended < 1000; ++appended) append_frames(writer, start, appended, appended + 1);
    } catch (const SystemError& error) {
      if (std::string(error.what()).find(words) != std::string::npos) return true;
      std::fprintf(stderr, "unexpected: %s\n", error.what());
    }
    return false;
  };
  if (!refused(reason)) return 1;
  if (!refused("")) return 2;
  return appended >= 5 ? 0 : 3;
}

/// Every frame that the file claims is the frame that was appended.
void expect_good_frames(const std::filesystem::path& path, const StartState& start) {
  const ReadFile file(path);
  const std::size_t frames = file.values("/particles/all/position/time").data.size();
  ASSERT_GE(frames, 5U);
  const Values position = file.values("/particles/all/position/value");
  std::vector<double> expected;
  for (std::size_t i = 0; i < frames; ++i) {
    append_stored(expected, sample_frame(start, static_cast<int>(i)).position, Precision::single);
  }
  ASSERT_GE(position.data.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), position.data.begin()));
}

TEST(Trajectory, AWriteThatFailsIsAnErrorAndNoCrash) {
  const TemporaryFolder folder;
  const StartState start = sample_start(6);
  // A limit on the size of a file fails HDF5's own write in the middle of a flush.
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    constexpr rlimit limit{1000000, 1000000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const int result = fill_disk(folder / "trajectory.h5md", start, "File too large");
    if (result != 0) _exit(result);
  });
  EXPECT_EQ(status, 0) << "signal " << WTERMSIG(status) << ", exit " << WEXITSTATUS(status);
  expect_good_frames(folder / "trajectory.h5md", start);
}

TEST(Trajectory, AFullDiskIsAnErrorAndLeavesAGoodFile) {
  const TinyDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a small file system here";
  const StartState start = sample_start(6);
  const auto path = disk / "trajectory.h5md";
  const int status = in_child([&] {
    const int result = fill_disk(path, start, "No space left on device");
    if (result != 0) _exit(result);
  });
  EXPECT_EQ(status, 0) << "signal " << WTERMSIG(status) << ", exit " << WEXITSTATUS(status);
  expect_good_frames(path, start);
}

}  // namespace
}  // namespace pencilbox::testing
