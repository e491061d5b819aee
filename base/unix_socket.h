#pragma once

#include <string>

#include "base/unique_fd.h"

namespace pacbench {

/// A Unix stream socket, closed on exec, that is connected to nothing yet.
UniqueFd unix_socket();

/// Binds a socket to a path. Throws std::system_error naming the path: ENAMETOOLONG, EADDRINUSE ...
void bind_to(int socket, const std::string& path);

/// Connects to the socket that listens at `path`. Throws std::system_error naming the path:
/// ECONNREFUSED when a socket is there and nobody listens, EACCES, ENOENT ...
UniqueFd connect_to(const std::string& path);

/// True only when there is a socket at `path` and it is certain that nobody listens on it.
bool nobody_listens(const std::string& path);

}  // namespace pacbench
