// The rows of a validation as the table that a referee wants.
#pragma once

#include "app/validate/row.hpp"
#include "io/output/result.hpp"

namespace pencilbox {

/// The name of its table and of its files.
inline constexpr const char* validate_name = "validate";

/// "41 passed, 1 FAILED, 2 SKIPPED"
std::string verdict_of(const ValidationRows& rows);

bool has_failed(const ValidationRows& rows);

/// Puts table, notes and conclusion into a result; `caption` stands over the table.
void add_validation(Result& result, const std::string& caption, const ValidationRows& rows);

}  // namespace pencilbox
