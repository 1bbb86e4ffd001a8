import type { ParsedFile } from '../configuration-file.js';
import type { KnownFile } from './known-files.js';

/**
 * A configuration file without its secrets, as a device sends it that replaces them itself. `fingerprintOf` turns the
 * fingerprint of the parser into one under a key of the device.
 */
export function redactedForm(
  { status, problems, oddities, entries }: ParsedFile,
  known: KnownFile,
  fingerprintOf: (fingerprint: string) => string,
): string {
  return JSON.stringify({
    form: 1,
    status,
    problems,
    // the server derives the others from the path
    oddities: oddities.slice(known.oddities.length),
    entries: entries.map(({ name, definition, secrets, oddities }) => ({
      name,
      definition,
      secrets: secrets.map(({ type, place, fingerprint }) => ({
        type,
        place,
        fingerprint: fingerprintOf(fingerprint),
      })),
      oddities,
    })),
  });
}
