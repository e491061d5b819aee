#pragma once

#include <cstdint>

namespace pacbench {

/// Sizes of headers for TCP or UDP over IPv4 over Ethernet, in bytes. A queueing discipline counts
/// these, but not an Ethernet frame's checksum, preamble and gap.
inline constexpr std::int64_t kEthernetHeaderBytes = 14;
inline constexpr std::int64_t kTcpIpHeaderBytes = 20 + 20 + 12;  ///< the last 12 are time stamps
inline constexpr std::int64_t kUdpIpHeaderBytes = 20 + 8;
inline constexpr std::int64_t kFrameHeaderBytes = kEthernetHeaderBytes + kTcpIpHeaderBytes;
/// Bytes around an IP packet on a real wire: header, checksum, preamble and gap.
inline constexpr std::int64_t kWireFramingBytes = kEthernetHeaderBytes + 4 + 8 + 12;

/// A full frame, and the TCP payload that it carries.
constexpr std::int64_t frame_bytes(std::int64_t mtu) { return mtu + kEthernetHeaderBytes; }
constexpr std::int64_t segment_bytes(std::int64_t mtu) { return mtu - kTcpIpHeaderBytes; }
/// The UDP payload of a full frame.
constexpr std::int64_t datagram_bytes(std::int64_t mtu) { return mtu - kUdpIpHeaderBytes; }

/// The share of a full frame that is TCP payload.
constexpr double payload_share(std::int64_t mtu) {
  return static_cast<double>(segment_bytes(mtu)) / static_cast<double>(frame_bytes(mtu));
}

/// The bytes of `payload_bytes` of TCP payload with the headers of full frames. They are in
/// proportion to the payload, and not rounded up to whole frames.
constexpr double with_headers(double payload_bytes, std::int64_t mtu) {
  return payload_bytes * static_cast<double>(frame_bytes(mtu)) /
         static_cast<double>(segment_bytes(mtu));
}

}  // namespace pacbench
