#!/usr/bin/env bash
# The comment of action.yml: replaces the one that an earlier run of the same gate made, or makes it.
# A hidden first line tells it from comments of other gates and of other actions.
# From the environment: GATE, REPORT, PULL_REQUEST, GH_TOKEN, and what GitHub sets.
set -euo pipefail
body="${RUNNER_TEMP:-/tmp}/rankwise-comment.md"
mark="<!-- rankwise gate: ${GATE//-->/} -->"
{ echo "$mark"; cat "$REPORT"; } >"$body"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
export mark
earlier="$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.mark)) | .id' | tail -n 1)"
if [ -n "$earlier" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier" --field "body=@$body"
else
  gh api --silent --method POST "$comments" --field "body=@$body"
fi
