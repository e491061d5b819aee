#pragma once

#include <string>

namespace pacbench::netem {

// The CPU that sends a packet over a veth pair also receives it. Where two CPUs take turns at
// sending, packets of one flow are received on both at once and may overtake each other. No cable
// does that, and TCP takes it for loss. With receive packet steering (the kernel's
// Documentation/networking/scaling.rst), one CPU receives all packets of a flow, in the order in
// which they were sent.

/// Turns a list of CPUs such as "0-1,4" into the kernel's form of a set: "13". A set has a bit for
/// each CPU, in hexadecimal words of 32 CPUs, the highest numbers first: "1,00000000" for CPU 32.
std::string set_of_cpus(const std::string& list);

/// The set of this machine's CPUs that are online. Empty on a machine with one CPU, which needs no
/// steering.
std::string steering_cpus();

/// Makes devices that are created later in the calling thread's namespace steer packets over
/// `cpus`. Does nothing when `cpus` is empty. Returns false where the namespace's setting cannot be
/// written: Linux before 6.3 has no such setting, and in some containers /proc/sys is read-only.
bool steer_devices_to_come(const std::string& cpus);

/// Makes every existing device of the calling thread's namespace steer packets over `cpus`. Throws
/// std::system_error where sysfs cannot be mounted or written.
void steer_devices(const std::string& cpus);

/// A message that names a device of the calling thread's namespace, other than "lo", that steers no
/// packets although `cpus` were set. Empty when there is none, when `cpus` is empty or when sysfs
/// cannot be read.
std::string unsteered_device(const std::string& cpus);

}  // namespace pacbench::netem
