// The one place that includes Asio, which takes seconds to compile. For source files only (tests/tidy).
#pragma once

#include <boost/asio/buffer.hpp>                   // IWYU pragma: export
#include <boost/asio/io_context.hpp>               // IWYU pragma: export
#include <boost/asio/posix/stream_descriptor.hpp>  // IWYU pragma: export
#include <boost/asio/post.hpp>                     // IWYU pragma: export
#include <boost/asio/signal_set.hpp>               // IWYU pragma: export
#include <boost/asio/steady_timer.hpp>             // IWYU pragma: export
