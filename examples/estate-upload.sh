#!/bin/sh
# Tells Countersign which MCP servers the AI clients on this machine are configured with. For device management: run it as
# the user, or as root for all users, once a day. It reads configuration files and nothing else, starts nothing, and
# follows no links. Needs sh, find, base64 and curl.
#
#   COUNTERSIGN_URL=https://countersign.example.com COUNTERSIGN_KEY_FILE=/etc/countersign/estate.key \
#     OWNER=ines@example.com ./estate-upload.sh [folder…]
#
# COUNTERSIGN_KEY_FILE  holds a tenant key with the scope "estate" (or COUNTERSIGN_KEY is the key itself)
# DEVICE_SECRET_FILE    where the device keeps a random secret that only it knows; made with the first upload. Without the same secret
#                       nobody who has the key can replace what this device uploaded
# OWNER                 e-mail address of whose machine it is; the folders default to the user's home
set -eu
umask 077

url=${COUNTERSIGN_URL:?where Countersign is, such as https://countersign.example.com}
key=${COUNTERSIGN_KEY:-$(cat "${COUNTERSIGN_KEY_FILE:?a file with a tenant key of the scope estate}")}
device=${DEVICE:-$(hostname)}
largest=262144

# the files may have secrets in them: never over a line that others can read
case $url in
  https://*) ;;
  http://localhost*|http://127.0.0.1*|http://\[::1\]*) ;;
  *) echo "estate-upload: $url is not https" >&2; exit 2 ;;
esac

if [ $# -eq 0 ]; then set -- "$HOME"; fi
for folder in "$@"; do
  if [ ! -d "$folder" ]; then echo "estate-upload: $folder is no folder" >&2; exit 2; fi
done

if [ -z "${DEVICE_SECRET_FILE:-}" ]; then
  if [ "$(id -u)" -eq 0 ]; then DEVICE_SECRET_FILE=/var/lib/countersign-estate/device-secret
  else DEVICE_SECRET_FILE=${XDG_STATE_HOME:-$HOME/.local/state}/countersign/device-secret; fi
fi
if [ ! -s "$DEVICE_SECRET_FILE" ]; then
  mkdir -p "$(dirname "$DEVICE_SECRET_FILE")"
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n' > "$DEVICE_SECRET_FILE"
fi
secret=$(cat "$DEVICE_SECRET_FILE")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# as a JSON string; control characters have no place in names
quoted() { printf '%s' "$1" | tr '\000-\037' '?' | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/"/'; }

changed() {
  seconds=$(stat -c %Y "$1" 2>/dev/null || stat -f %m "$1")
  date -u -d "@$seconds" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r "$seconds" +%Y-%m-%dT%H:%M:%SZ
}

# one line per file; a name with a line break in it cannot be told apart, and is left out
find "$@" \( -name node_modules -o -name .git -o -name Library -o -name .Trash -o -name '*
*' \) -prune -o -type f -ipath '*/.cursor/mcp.json' -print 2>/dev/null > "$work/names" || true

collected=$(date -u +%Y-%m-%dT%H:%M:%SZ)
{
  printf '{"device":%s,"platform":%s,"collectedAt":"%s","isComplete":true' \
    "$(quoted "$device")" "$(quoted "$(uname -s)")" "$collected"
  if [ -n "${OWNER:-}" ]; then printf ',"owner":%s' "$(quoted "$OWNER")"; fi
  printf ',"files":['
  comma=
  while IFS= read -r file; do
    size=$(($(wc -c < "$file" 2>/dev/null || echo 0)))
    printf '%s{"path":%s,"size":%s,"modifiedAt":"%s"' "$comma" "$(quoted "$file")" "$size" "$(changed "$file")"
    if [ -r "$file" ] && [ "$size" -le "$largest" ]; then
      printf ',"encoding":"base64","content":"'
      base64 < "$file" | tr -d '\n'
      printf '"'
    fi
    printf '}'
    comma=,
  done < "$work/names"
  printf ']}'
} > "$work/body"

# the key and the secret stand in no argument: arguments are shown to everybody on the machine
printf 'header = "Authorization: Bearer %s"\nheader = "Countersign-Device-Secret: %s"\n' "$key" "$secret" |
  curl --config - --silent --show-error --fail-with-body --max-time 60 --retry 3 \
    --header 'Content-Type: application/json' --data-binary "@$work/body" "${url%/}/ingest/estate"
echo
