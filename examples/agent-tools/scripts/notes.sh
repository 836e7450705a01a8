#!/bin/sh
# SPDX-License-Identifier: MIT
# Puts the pieces of changes/<number>.<kind>.md together: notes.sh -- VERSION [KIND…]
set -eu
[ "$1" != -- ] || shift
version=$1
shift
[ $# -gt 0 ] || set -- added changed fixed
found=
text="## $version"
for kind in "$@"; do
  heading="

### $kind
"
  for piece in changes/*."$kind".md; do
    [ -e "$piece" ] || continue
    number=${piece##*/}
    number=${number%%.*}
    text="$text$heading
- $(head -n 1 "$piece") (#$number)"
    heading=
    found=yes
  done
done
if [ -z "$found" ]; then
  echo "there are no pieces of these kinds: $*" >&2
  exit 3
fi
printf '%s\n' "$text"
