# shellcheck shell=bash
# QEMU's user-mode emulator, which runs an arm64 binary on this machine. Nothing runs in the background.

qemu_packages() { echo qemu-user-static; }

qemu_running() { [ -x /usr/bin/qemu-aarch64-static ]; }

qemu_env() { echo HERMES_TEST_QEMU_AARCH64=/usr/bin/qemu-aarch64-static; }

qemu_start() { /usr/bin/qemu-aarch64-static --version >/dev/null; }

qemu_stop() { :; }
