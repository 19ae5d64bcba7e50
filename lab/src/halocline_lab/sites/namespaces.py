"""A network namespace for one program, and a device whose packets the program's parent carries.

What the program sends to the other end comes out of a file descriptor as packets of IP, and what is
written there arrives: so the kernel's own TCP is at work, with its congestion windows, over a path
that is made elsewhere (`packet_path`). It needs no rights where users may make namespaces, and no
queueing discipline of the kernel.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

addresses = ("10.77.0.1", "10.77.0.2")
"""Of the two ends; one network of four addresses."""
mask = "255.255.255.252"
packet_size = 1500

new_user, new_network = 0x10000000, 0x40000000
make_device, plain_packets = 0x400454CA, 0x0001 | 0x1000
get_flags, set_flags, set_address, set_mask = 0x8913, 0x8914, 0x8916, 0x891C
change_link, queue_attribute, ask_for_answer = 16, 13, 0x1 | 0x4  # of <linux/rtnetlink.h>
is_up = 0x1
longest_queue = 10_000
"""Packets that wait at the device; the path drops what is too much, not the device."""


class NoNamespaces(Exception):
    """This machine does not let a user make network namespaces or devices; says what failed."""


def enter() -> None:
    """Go into a new network namespace; of a program with one thread.

    With a user namespace around it, where the user has no right to make one alone.
    """
    own, group = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(new_network) == 0:
        return
    if library.unshare(new_user | new_network) != 0:
        raise NoNamespaces(f"no network namespaces: {os.strerror(ctypes.get_errno())}")
    try:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{own} {own} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    except OSError as error:
        raise NoNamespaces(f"no user namespace: {error.strerror}") from None


def open_device(end: int) -> int:
    """Make the device of one end (0 or 1) in this namespace, with its address; its descriptor."""
    name = b"path"
    try:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, make_device, struct.pack("16sH22x", name, plain_packets))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            for call, words in ((set_address, addresses[end]), (set_mask, mask)):
                place = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(words))
                fcntl.ioctl(own, call, struct.pack("16s16s8x", name, place))
            answer = fcntl.ioctl(own, get_flags, struct.pack("16sH22x", name, 0))
            flags = struct.unpack("16sH22x", answer)[1] | is_up
            fcntl.ioctl(own, set_flags, struct.pack("16sH22x", name, flags))
        _set_queue(socket.if_nametoindex(name.decode()))
    except OSError as error:
        raise NoNamespaces(f"no device of packets: {error.strerror}") from None
    return device


def _set_queue(device: int) -> None:
    """Let many packets wait: by netlink, as the older call is for the machine's own root only."""
    link = struct.pack("=BxHiII", socket.AF_UNSPEC, 0, device, 0, 0)
    link += struct.pack("=HHI", 8, queue_attribute, longest_queue)
    header = struct.pack("=IHHII", 16 + len(link), change_link, ask_for_answer, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as own:
        own.send(header + link)
        (error,) = struct.unpack_from("=i", own.recv(4096), 16)
    if error:
        raise OSError(-error, os.strerror(-error))


def set_kernel(*, restart_after_idle: bool, congestion: str) -> None:
    """How TCP of this namespace begins again after a pause, and which control it has."""
    settings = {
        "tcp_slow_start_after_idle": str(int(restart_after_idle)),
        "tcp_congestion_control": congestion,
    }
    for name, value in settings.items():
        try:
            Path("/proc/sys/net/ipv4", name).write_text(value, encoding="ascii")
        except OSError as error:
            raise NoNamespaces(f"cannot set {name} to {value}: {error.strerror}") from None


def hand_over(device: int, channel: int) -> None:
    """Give a device to the program at the other end of a socket."""
    with socket.socket(fileno=channel) as own:
        socket.send_fds(own, [b"device"], [device])


def take_over(channel: socket.socket) -> int:
    """The device that a program gives; it must do so soon."""
    channel.settimeout(30.0)
    words, found, _, _ = socket.recv_fds(channel, 200, 1)
    if len(found) != 1:
        raise NoNamespaces(words.decode("utf-8", "replace") or "the program has ended")
    return int(found[0])


def tell_failure(why: NoNamespaces, channel: int) -> None:
    """Say in place of a device why there is none."""
    with socket.socket(fileno=channel) as own:
        own.send(str(why).encode()[:200])


def kernel_words() -> Sequence[str]:
    """What TCP of this machine does after a pause, and its congestion control."""
    root = Path("/proc/sys/net/ipv4")
    try:
        idle = (root / "tcp_slow_start_after_idle").read_text(encoding="ascii").strip()
        control = (root / "tcp_congestion_control").read_text(encoding="ascii").strip()
    except OSError:
        return ("unknown", "unknown")
    return ("begins slowly again" if idle != "0" else "goes on as before", control)


def why_not() -> str:
    """Why this machine lets this user make no such namespace; empty if it does."""
    words = [sys.executable, "-P", "-m", __name__]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.returncode:
        return ""
    return done.stdout.strip() or f"no namespaces: {done.stderr.strip()[-200:]}"


if __name__ == "__main__":
    try:
        enter()
        open_device(0)
        set_kernel(restart_after_idle=True, congestion="reno")
    except NoNamespaces as why:
        print(why)
        sys.exit(1)
