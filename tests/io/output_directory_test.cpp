// Whether a run may write: each refusal, and that a refusal touches nothing.
#include "io/output/output_directory.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "io/output_names.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  ASSERT_EQ(read_text(path), text);
}

/// The message with which both `check` and `open` refuse.
std::string refusal_of_directory(const OutputRequest& request) {
  std::string checked, opened;
  try {
    OutputDirectory::check(request);
  } catch (const InputError& error) {
    checked = error.what();
  }
  try {
    OutputDirectory::open(request);
  } catch (const InputError& error) {
    opened = error.what();
  }
  EXPECT_EQ(checked, opened);
  EXPECT_NE(checked, "");
  return checked;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t entries(const fs::path& path) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

TEST(OutputDirectory, IsCreatedWithItsParentsOnlyByOpen) {
  const TemporaryFolder folder;
  const OutputRequest request{folder / "a/b/c", false, {}};
  OutputDirectory::check(request);
  EXPECT_EQ(entries(folder.path()), 0U);
  {
    const OutputDirectory directory = OutputDirectory::open(request);
    EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
    EXPECT_EQ(directory.path(), folder / "a/b/c");
    EXPECT_EQ(directory.trajectory(), folder / "a/b/c/trajectory.h5md");
    EXPECT_EQ(directory.thermo(), folder / "a/b/c/thermo.csv");
    EXPECT_EQ(directory.report(), folder / "a/b/c/report.json");
  }
  EXPECT_EQ(entries(folder / "a/b/c"), 0U) << "the lock stays behind";
}

TEST(OutputDirectory, RefusesToReplaceAnOutputAndNamesTheFlag) {
  for (const std::string name :
       {"trajectory.h5md", "trajectory.xmf2", "trajectory.vtkhdf", "trajectory-0000.h5md",
        "thermo.csv", "report.json", "checkpoint.h5", "checkpoint.previous.h5"}) {
    const TemporaryFolder folder;
    write(folder / name, "precious");
    const std::string message = refusal_of_directory({folder.path(), false, {}});
    EXPECT_TRUE(contains(message, name)) << message;
    EXPECT_TRUE(contains(message, "--overwrite")) << message;
    EXPECT_EQ(read_text(folder / name), "precious");
    EXPECT_EQ(entries(folder.path()), 1U);
  }
}

TEST(OutputDirectory, DoesNotMindOtherFiles) {
  const TemporaryFolder folder;
  write(folder / "notes.txt", "precious");
  { const OutputDirectory directory = OutputDirectory::open({folder.path(), true, {}}); }
  EXPECT_EQ(read_text(folder / "notes.txt"), "precious");
}

TEST(OutputDirectory, OverwriteReplacesOnlyAtOpen) {
  const TemporaryFolder folder;
  for (const std::string name :
       {"trajectory.h5md", "trajectory.xmf2", "thermo.csv", "report.json", ".trajectory.xmf2.next",
        "report.json.tmp", "checkpoint.h5", "checkpoint.previous.h5", "checkpoint.h5.tmp",
        "trajectory-0012.h5md"}) {
    write(folder / name, "old");
  }
  const OutputRequest request{folder.path(), true, {}};
  OutputDirectory::check(request);
  EXPECT_EQ(entries(folder.path()), 10U);
  const OutputDirectory directory = OutputDirectory::open(request);
  EXPECT_EQ(entries(folder.path()), 1U);  // the lock
}

TEST(OutputDirectory, WhatOthersPutThereIsNotRemovedWithoutAWord) {
  for (const std::string name : {"thermo.csv.tmp", ".trajectory.xmf2.next", "deck.yaml.tmp"}) {
    const TemporaryFolder folder;
    write(folder / name, "precious");
    EXPECT_THROW(OutputDirectory::open({folder.path(), false, {}}), InputError) << name;
    EXPECT_EQ(read_text(folder / name), "precious");
    { const OutputDirectory directory = OutputDirectory::open({folder.path(), true, {}}); }
    EXPECT_FALSE(fs::exists(folder / name));
  }
}

TEST(OutputDirectory, ALockThatNoRunHasMadeIsLeftAlone) {
  for (const bool is_pipe : {false, true}) {
    const TemporaryFolder folder;
    if (is_pipe) {
      ASSERT_EQ(::mkfifo((folder / ".lock").c_str(), 0600), 0);
    } else {
      write(folder / ".lock", "of another program");
    }
    const OutputRequest request{folder.path(), true, {}};
    EXPECT_THROW(OutputDirectory::check(request), InputError);
    EXPECT_THROW(OutputDirectory::open(request), InputError);
    EXPECT_TRUE(fs::exists(folder / ".lock"));
  }
}

TEST(OutputDirectory, ALockThatIsALinkIsNotFollowed) {
  for (const bool leads_somewhere : {false, true}) {
    const TemporaryFolder folder;
    if (leads_somewhere) write(folder / "other", "");
    fs::create_symlink(folder / "other", folder / ".lock");
    const OutputRequest request{folder.path(), true, {}};
    EXPECT_THROW(OutputDirectory::check(request), InputError);
    EXPECT_THROW(OutputDirectory::open(request), InputError);
    EXPECT_EQ(fs::exists(folder / "other"), leads_somewhere);
  }
}

TEST(OutputDirectory, SaysThatALinkLeadsNowhere) {
  const TemporaryFolder folder;
  fs::create_symlink(folder / "nothing", folder / "link");
  try {
    OutputDirectory::check({folder / "link", false, {}});
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("link is a link that leads nowhere"),
              std::string::npos)
        << error.what();
  }
}

TEST(OutputDirectory, ResumeKeepsTheOutputsAndRemovesWhatAKillLeft) {
  const TemporaryFolder folder;
  for (const std::string name : {"thermo.csv", "trajectory-0001.h5md", "checkpoint.h5",
                                 "checkpoint.h5.tmp", ".trajectory.xmf2.next", "notes.tmp"}) {
    write(folder / name, "old");
  }
  const OutputRequest request{folder.path(), false, {}, true};
  OutputDirectory::check(request);
  EXPECT_EQ(entries(folder.path()), 6U);
  { const OutputDirectory directory = OutputDirectory::open(request); }
  EXPECT_EQ(entries(folder.path()), 4U);
  EXPECT_TRUE(fs::exists(folder / "thermo.csv"));
  EXPECT_TRUE(fs::exists(folder / "trajectory-0001.h5md"));
  EXPECT_TRUE(fs::exists(folder / "notes.tmp"));
}

TEST(OutputDirectory, OnlyPartsOfATrajectoryAreTakenForSuch) {
  const TemporaryFolder folder;
  for (const std::string name : {"trajectory-.h5md", "trajectory-best.h5md", "trajectory-1.csv"}) {
    write(folder / name, "precious");
  }
  { const OutputDirectory directory = OutputDirectory::open({folder.path(), true, {}}); }
  EXPECT_EQ(entries(folder.path()), 3U);
}

TEST(OutputDirectory, WhatObservablesFoundIsAnOutput) {
  for (const char* name : {"observable-radial-distribution.csv", "observable-x.svg"}) {
    EXPECT_TRUE(output_names::is_output(name)) << name;
    EXPECT_TRUE(output_names::is_leftover(std::string(name) + ".tmp")) << name;
  }
  for (const char* name : {"observable-.csv", "observable-a.png", "observables.csv",
                           "observable-my notes.csv", "my-observable-a.csv"}) {
    EXPECT_FALSE(output_names::is_output(name)) << name;
  }
}

TEST(OutputDirectory, SaysThatThePathIsAFile) {
  const TemporaryFolder folder;
  write(folder / "file", "precious");
  EXPECT_TRUE(
      contains(refusal_of_directory({folder / "file", true, {}}), "is a file, not a directory"));
  const std::string below = refusal_of_directory({folder / "file/below", true, {}});
  EXPECT_TRUE(contains(below, (folder / "file").string() + " is a file, not a directory")) << below;
  EXPECT_TRUE(contains(refusal_of_directory({"", true, {}}), "empty"));
  EXPECT_EQ(read_text(folder / "file"), "precious");
}

TEST(OutputDirectory, SaysThatItMayNotWriteThere) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "closed");
  fs::permissions(folder / "closed", fs::perms::owner_read | fs::perms::owner_exec |
                                         fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder.path(), fs::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    // Root may write anywhere, so the question is asked as nobody.
    if (geteuid() == 0 && seteuid(65534) != 0) _exit(9);
    bool right = true;
    for (const std::string name : {"closed", "closed/new"}) {
      const std::string message = refusal_of_directory({folder / name, false, {}});
      right =
          right && contains(message, "cannot write to") && contains(message, "Permission denied");
    }
    _exit(right && !::testing::Test::HasFailure() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(entries(folder / "closed"), 0U);
}

TEST(OutputDirectory, SaysThatItCannotBeCreated) {
  const TemporaryFolder folder;
  const OutputRequest request{folder / std::string(300, 'x'), false, {}};
  try {
    OutputDirectory::open(request);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), "File name too long")) << error.what();
  }
}

TEST(OutputDirectory, NeverReplacesAnInputOfTheRun) {
  const TemporaryFolder folder;
  write(folder / "trajectory.h5md", "start");
  fs::create_symlink(folder / "trajectory.h5md", folder / "link.h5md");
  write(folder / "deck.yaml", "deck");
  for (const std::string name : {"trajectory.h5md", "link.h5md"}) {
    const std::string message =
        refusal_of_directory({folder.path(), true, {folder / "deck.yaml", folder / name}});
    EXPECT_TRUE(contains(message, "its own input")) << message;
    EXPECT_TRUE(contains(message, name)) << message;
  }
  const std::string deck =
      refusal_of_directory({folder / "deck.yaml", true, {folder / "deck.yaml"}});
  EXPECT_TRUE(contains(deck, "is an input of the run")) << deck;
  EXPECT_EQ(read_text(folder / "trajectory.h5md"), "start");
  EXPECT_EQ(read_text(folder / "deck.yaml"), "deck");
}

TEST(OutputDirectory, BelongsToOneRun) {
  const TemporaryFolder folder;
  const OutputRequest request{folder.path(), true, {}};
  {
    const OutputDirectory first = OutputDirectory::open(request);
    write(first.thermo(), "row");
    EXPECT_TRUE(contains(refusal_of_directory(request), "another run is writing here"));
    EXPECT_EQ(read_text(first.thermo()), "row");
    EXPECT_TRUE(fs::exists(folder / ".lock"));
  }
  EXPECT_FALSE(fs::exists(folder / ".lock"));
  const OutputDirectory next = OutputDirectory::open(request);
}

TEST(OutputDirectory, StaysOursWhenMoved) {
  const TemporaryFolder folder;
  const OutputRequest request{folder.path(), false, {}};
  OutputDirectory first = OutputDirectory::open(request);
  const OutputDirectory second = std::move(first);
  EXPECT_TRUE(contains(refusal_of_directory(request), "another run"));
}

TEST(OutputDirectory, IsFreeAfterAKill) {
  const TemporaryFolder folder;
  const OutputRequest request{folder.path(), false, {}};
  const pid_t child = fork();
  if (child == 0) {
    const OutputDirectory directory = OutputDirectory::open(request);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(fs::exists(folder / ".lock"));
  OutputDirectory::check(request);
  const OutputDirectory directory = OutputDirectory::open(request);
}

}  // namespace
}  // namespace pencilbox::testing
