#!/bin/bash
MAX=9
readonly UNIT=EUR
declare -i count=0
# Totals.
total() {
  local x=1
  inner() { echo; }
}
function price { echo 1; }
alias ll='ls -l'
