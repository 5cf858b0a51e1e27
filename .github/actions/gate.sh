#!/usr/bin/env bash
# The gate of action.yml: runs it, shows its table beside the pull request, ends with its exit code.
# From the environment: QRELS, BASELINE, CANDIDATE, RULES, and what GitHub sets.
set -uo pipefail
folder="${RUNNER_TEMP:-/tmp}"
report="$folder/rankwise-gate.md"
junit="$folder/rankwise-gate.xml"
rm -f "$report" "$junit"
# Rules are several words, and nothing in them is run or expanded.
read -r -d '' -a rules <<<"$RULES" || true
rankwise gate "$QRELS" "$BASELINE" "$CANDIDATE" "${rules[@]}" --format github -o "$report" -o "$junit"
code=$?
case $code in
  0) outcome=passes ;;
  1) outcome=fails ;;
  *) outcome=inconclusive ;;
esac
if [ ! -s "$report" ]; then # wrong input: the message is in the log
  printf 'rankwise gate could not be run: see the log of this step.\n' >"$report"
fi
{
  echo "outcome=$outcome"
  echo "report=$report"
  echo "junit=$junit"
} >>"$GITHUB_OUTPUT"
cat "$report" >>"$GITHUB_STEP_SUMMARY"
exit "$code"
