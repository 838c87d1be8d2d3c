#!/usr/bin/env bash
# One command of rocstar in a workflow: its reports, the summary of the job, and a comment on the
# pull request, which later runs replace. Inputs come as variables, never as text of this script.
set -euo pipefail

folder="$RUNNER_TEMP/rocstar-$COMMAND-${NAME//[^A-Za-z0-9_-]/_}"
rm -rf "$folder" && mkdir -p "$folder"

# Words as a shell would split them, quotes included; nothing in them is expanded.
arguments=()
if [ -n "${ARGUMENTS// /}" ]; then
  mapfile -t arguments < <(xargs printf '%s\n' <<< "$ARGUMENTS")
fi
code=0
rocstar "$COMMAND" "${arguments[@]}" --output "$folder/report.html" \
  --output "$folder/report.md" --output "$folder/report.json" || code=$?
{
  echo "exit-code=$code"
  echo "report=$folder"
} >> "$GITHUB_OUTPUT"

if [ -f "$folder/report.md" ]; then
  cat "$folder/report.md" >> "$GITHUB_STEP_SUMMARY"
  if [ "$COMMENT" = true ] && [ -n "$PULL_REQUEST" ]; then
    mark="<!-- rocstar $COMMAND ${NAME//[^A-Za-z0-9_ -]/_} -->"
    # GitHub takes comments of up to 65,536 characters.
    { echo "$mark"; head -c 60000 "$folder/report.md"; } > "$folder/comment.md"
    comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
    earlier=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id")
    if [ -n "$earlier" ]; then
      gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${earlier%%$'\n'*}" \
        --field "body=@$folder/comment.md"
    else
      gh api --silent "$comments" --field "body=@$folder/comment.md"
    fi
  fi
fi
exit "$code"
