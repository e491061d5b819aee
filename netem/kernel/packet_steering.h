#pragma once

#include <string>

namespace pacbench::netem {

// A veth pair hands a packet to the CPU that sent it. Where two CPUs take turns at sending, packets
// of one flow are received on both at once and may overtake each other. No cable does that, and TCP
// takes it for loss. Receive packet steering (the kernel's Documentation/networking/scaling.rst)
// has all packets of a flow received by one CPU, in the order in which they were sent.

/// The CPUs of this machine as the kernel writes a set of them, "3" or "ffffffff,ffffffff". Empty
/// where there is one alone, which needs no steering.
std::string steering_cpus();

/// Has devices that will be made in the calling thread's namespace steer packets over `cpus`, if
/// there are any. Returns false where the namespace's setting cannot be written: Linux before 6.3
/// has no such setting, and in some containers /proc/sys is read-only.
bool steer_devices_to_come(const std::string& cpus);

/// Has every device that there is in the calling thread's namespace steer packets over `cpus`.
/// Throws std::system_error where sysfs cannot be mounted or written.
void steer_devices(const std::string& cpus);

/// The first device of the calling thread's namespace, other than "lo", that does not steer over
/// `cpus`, with what it has, in words. Empty when all do or when sysfs cannot be read.
std::string unsteered_device(const std::string& cpus);

}  // namespace pacbench::netem
