#!/bin/sh
# Every check and every test: needs node and npm, or Bun. `--soak` adds the long tests.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
exec bun scripts/check.ts "$@"
