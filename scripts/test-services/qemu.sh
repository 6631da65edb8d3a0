# shellcheck shell=bash
# QEMU's user-mode emulator and the C library that it needs to run an arm64 binary here. Nothing runs in the background.

qemu_packages() { echo qemu-user-static libc6-arm64-cross; }

qemu_running() { [ -x /usr/bin/qemu-aarch64-static ] && [ -e /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 ]; }

qemu_env() { printf '%s\n' HERMES_TEST_QEMU_AARCH64=/usr/bin/qemu-aarch64-static HERMES_TEST_QEMU_AARCH64_ROOT=/usr/aarch64-linux-gnu; }

qemu_start() { /usr/bin/qemu-aarch64-static --version >/dev/null; }

qemu_stop() { :; }
