#pragma once

#include <string>

#include "base/unique_fd.h"

namespace pacbench {

/// A Unix stream socket, closed on exec, that is connected to nothing yet.
UniqueFd unix_socket();

/// Binds a socket to a path. Throws std::system_error naming the path: ENAMETOOLONG, EADDRINUSE ...
void bind_to(int socket, const std::string& path);

/// Connects to the socket that listens at `path`. Throws std::system_error naming the path:
/// ECONNREFUSED when nobody listens at the socket or the file is no socket, EACCES, ENOENT ...
UniqueFd connect_to(const std::string& path);

/// True only when the kernel refuses to connect to `path`, so that certainly nobody listens there.
/// The kernel also refuses a file that is no socket.
bool nobody_listens(const std::string& path);

}  // namespace pacbench
