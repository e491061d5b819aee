#pragma once

namespace pacbench {

/// The release of this build: "0.1.0".
const char* version();

/// The commit of this build, with "-dirty" when files had changed; "unknown" outside git.
const char* git_commit();

}  // namespace pacbench
