#pragma once

#include <utility>  // Boost 1.74's header needs it and does not include it

#include <boost/asio/awaitable.hpp>
