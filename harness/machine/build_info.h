#pragma once

namespace pacbench {

/// The release this was built as: "0.1.0".
const char* version();

/// The commit it was built from, "-dirty" when files had been changed; "unknown" outside git.
const char* git_commit();

}  // namespace pacbench
