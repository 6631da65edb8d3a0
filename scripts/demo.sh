#!/bin/sh
# Builds dist/hermes and runs its demonstration: needs node and npm, or Bun. Arguments go to `hermes demo`.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
bun scripts/build-binary.ts >&2
exec dist/hermes demo "$@"
