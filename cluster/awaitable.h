#pragma once

#include <utility>  // which Boost 1.74's header lacks

#include <boost/asio/awaitable.hpp>
