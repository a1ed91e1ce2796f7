// Files that are made under another name first: what has that name already is not ours.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "io/output/file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

namespace fs = std::filesystem;

std::string error_of_replacing(const fs::path& path) {
  try {
    replace_file(path, "new");
  } catch (const SystemError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReplaceFile, PutsATextInThePlaceOfAnother) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.csv";
  EXPECT_EQ(error_of_replacing(path), "no error");
  replace_file(path, "newer");
  EXPECT_EQ(read_text(path), "newer");
  EXPECT_FALSE(is_there(temporary_name(path)));
}

TEST(ReplaceFile, LeavesWhatHasItsOtherNameAlone) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.csv", other = temporary_name(path);
  replace_file(folder / "precious", "old");
  const std::string words = "cannot write " + path.string() + ": " + other.string() +
                            " is there, left by a program that was killed or put there by others; "
                            "remove it";
  fs::create_symlink(folder / "precious", other);
  EXPECT_EQ(error_of_replacing(path), words);
  fs::remove(other);
  fs::create_symlink(folder / "nothing", other);
  EXPECT_EQ(error_of_replacing(path), words);
  EXPECT_FALSE(is_there(folder / "nothing"));
  fs::remove(other);
  fs::copy_file(folder / "precious", other);
  EXPECT_EQ(error_of_replacing(path), words);
  fs::remove(other);
  ASSERT_EQ(::mkfifo(other.c_str(), 0600), 0);
  EXPECT_EQ(error_of_replacing(path), words);  // and does not wait for who reads
  EXPECT_EQ(read_text(folder / "precious"), "old");
  EXPECT_FALSE(is_there(path));
}

TEST(ReplaceFile, ReplacesNoPipeAndWaitsForNone) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of_replacing(pipe), "cannot open " + pipe.string() + ": it is no regular file");
  EXPECT_THROW((void)OutputFile::create(pipe), SystemError);
  EXPECT_THROW((void)OutputFile::open(pipe), SystemError);
}

}  // namespace
}  // namespace pencilbox::testing
