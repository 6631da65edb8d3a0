#!/bin/sh
# Prints a number of seconds the way people say it: 3725 is "1h 02m 05s".
set -eu

total=$1
hours=$((total / 3600))
minutes=$((total / 60))
seconds=$((total % 60))

if [ "$hours" -gt 0 ]; then
	printf '%dh %02dm %02ds\n' "$hours" "$minutes" "$seconds"
elif [ "$minutes" -gt 0 ]; then
	printf '%dm %02ds\n' "$minutes" "$seconds"
else
	printf '%ds\n' "$seconds"
fi
