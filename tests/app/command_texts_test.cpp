// Help, completions and the man page: what the program says of its commands, in every form.
#include <cctype>

#include "tests/app/program_runner.hpp"
#include "tests/support/texts.hpp"

namespace pencilbox::testing {
namespace {

/// What comes behind `mark` at the beginning of a line, for each line that begins so.
std::vector<std::string> behind(const std::string& mark, const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(mark)) found.push_back(line.substr(mark.size()));
  }
  return found;
}

/// A heading as a link names it: "neighbor, integrator, run" is neighbor-integrator-run.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

class CommandTexts : public InAFolder {
 protected:
  std::string page() const { return program("generate markdown").out; }
  static std::filesystem::path source(const std::string& name) {
    return std::filesystem::path(PENCILBOX_SOURCE_DIR) / name;
  }
};

TEST_F(CommandTexts, ThePageInTheTreeIsThisProgramsHelp) {
  EXPECT_EQ(page(), read_text(source("docs/commands.md")))
      << "./pencilbox generate markdown > docs/commands.md";
}

TEST_F(CommandTexts, AloneItPrintsHelp) {
  const ProgramResult alone = program("");
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(alone.out, program("--help").out);
  EXPECT_NE(page().find("## pencilbox\n\n```text\n" + alone.out + "```"), std::string::npos);
}

TEST_F(CommandTexts, EachCommandHasItsHelpAnExampleAndAChapter) {
  std::set<std::string> chapters;
  for (const char* mark : {"## ", "### "}) {
    for (const std::string& heading : behind(mark, read_text(source("docs/user_guide.md")))) {
      chapters.insert(anchor_of(heading));
    }
  }
  const std::vector<std::string> names = behind("## pencilbox ", page());
  EXPECT_GE(names.size(), 14U);
  for (const std::string& name : names) {
    const std::string help = program(name + " --help").out;
    EXPECT_NE(page().find("```text\n" + help + "```"), std::string::npos) << name;
    EXPECT_NE(help.find("\nExample:\n  ./pencilbox " + name), std::string::npos)
        << name << ": see the table in app/commands/command_texts.cpp";
    const std::vector<std::string> more = behind("More: docs/user_guide.md", help);
    ASSERT_EQ(more.size(), 1U) << name;
    if (!more[0].empty()) {
      EXPECT_TRUE(chapters.contains(more[0].substr(1))) << more[0];
    }
  }
}

TEST_F(CommandTexts, HelpFitsEightyColumnsAndShowsDefaults) {
  for (const std::string& line : lines_of(page())) {
    const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    EXPECT_TRUE(line.size() <= 80 || is_one_word) << line;
  }
  EXPECT_NE(program("view --help").out.find("(default 0.5)"), std::string::npos);
  EXPECT_NE(program("--help").out.find("\n  test  "), std::string::npos);
}

TEST_F(CommandTexts, WhatIsOfTheScriptIsRefusedInWords) {
  expect_refused("test -R Melt", "test: this is the program alone", "./pencilbox test");
  expect_refused("generate tcsh", "generate: no such text, got 'tcsh'", "bash, zsh, fish");
}

}  // namespace
}  // namespace pencilbox::testing
