#!/bin/sh
# Checks duration.sh; exits 1 when a check fails.
cd "$(dirname "$0")" || exit 1

checks=0
failed=0

check() {
	checks=$((checks + 1))
	got=$(sh duration.sh "$1")
	if [ "$got" = "$2" ]; then
		echo "ok    $1 is $2"
	else
		failed=$((failed + 1))
		echo "FAIL  $1 is $2, not $got"
	fi
}

check 0 "0s"
check 59 "59s"
check 60 "1m 00s"
check 754 "12m 34s"
check 3600 "1h 00m 00s"
check 3725 "1h 02m 05s"
check 86399 "23h 59m 59s"

if [ "$failed" -gt 0 ]; then
	echo "$failed of $checks checks failed"
	exit 1
fi
echo "all $checks checks passed"
