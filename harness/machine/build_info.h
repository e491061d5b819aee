#pragma once

namespace pacbench {

/// The release this was built as: "0.1.0".
const char* version();

/// The commit this was built from, with "-dirty" when files had changed; "unknown" outside git.
const char* git_commit();

}  // namespace pacbench
