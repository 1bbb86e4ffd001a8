#!/bin/sh
# Uploads the MCP configuration of the AI clients on this machine to Countersign. For device management: run it once a
# day, as the user, or as root for all users. It only reads configuration files, starts nothing, and follows no links.
# Needs sh, find, base64 and curl.
#
#   COUNTERSIGN_URL=https://countersign.example.com COUNTERSIGN_KEY_FILE=/etc/countersign/estate.key \
#     OWNER=ines@example.com ./estate-upload.sh [folder…]
#
# COUNTERSIGN_KEY_FILE  file with a tenant key of the scope "estate" (or set the key in COUNTERSIGN_KEY)
# DEVICE_SECRET_FILE    file for a random secret of this device, created by the first upload. Only a client with both
#                       the key and this secret can replace the uploads of this device
# OWNER                 email address of the owner of the machine; the folders default to the user's home
set -eu
umask 077

url=${COUNTERSIGN_URL:?the URL of Countersign, such as https://countersign.example.com}
key=${COUNTERSIGN_KEY:-$(cat "${COUNTERSIGN_KEY_FILE:?a file with a tenant key of the scope estate}")}
device=${DEVICE:-$(hostname)}
largest=262144

# the files may contain secrets, so the connection must be encrypted
case $url in
  https://*) ;;
  http://localhost*|http://127.0.0.1*|http://\[::1\]*) ;;
  *) echo "estate-upload: $url is not https" >&2; exit 2 ;;
esac

if [ $# -eq 0 ]; then set -- "$HOME"; fi
for folder in "$@"; do
  if [ ! -d "$folder" ]; then echo "estate-upload: $folder is not a folder" >&2; exit 2; fi
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

# encodes a JSON string; replaces control characters
quoted() { printf '%s' "$1" | tr '\000-\037' '?' | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/"/'; }

changed() {
  seconds=$(stat -c %Y "$1" 2>/dev/null || stat -f %m "$1")
  date -u -d "@$seconds" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r "$seconds" +%Y-%m-%dT%H:%M:%SZ
}

# one line per file, so names with line breaks are skipped
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

# the key and the secret are not passed as arguments, which every user on the machine can read
printf 'header = "Authorization: Bearer %s"\nheader = "Countersign-Device-Secret: %s"\n' "$key" "$secret" |
  curl --config - --silent --show-error --fail-with-body --max-time 60 --retry 3 \
    --header 'Content-Type: application/json' --data-binary "@$work/body" --write-out '\n' \
    "${url%/}/ingest/estate"
