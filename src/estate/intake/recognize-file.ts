import { derivedId } from '../../platform/crypto/ids.js';
import { knownFile, maxPathLength, normalizedPath, type KnownFile } from '../parsing/known-files.js';
import { characterOddities } from '../parsing/invisible-characters.js';
import { redactedPath } from '../parsing/redacted-path.js';
import type { Fingerprinter } from '../redaction/fingerprint.service.js';
import type { CollectedFile } from './collected-file.js';

/** A file with its recognized kind and its row id. */
export interface RecognizedFile {
  id: string;
  /** Position among the collected files. */
  index: number;
  path: string;
  known: KnownFile;
  found: CollectedFile;
  digest: string;
}

/** Recognizes a file, or returns the reason why it is skipped. */
export function recognizeFile(
  sourceId: string,
  found: CollectedFile,
  index: number,
  fingerprinting: Fingerprinter,
): RecognizedFile | string {
  if (found.path.length > maxPathLength) return `has a path of more than ${maxPathLength} characters`;
  const known = knownFile(normalizedPath(found.location ?? found.path));
  if (!known) return 'is not a configuration of a supported AI client';
  const path = redactedPath(found.path);
  return {
    id: derivedId(sourceId, path),
    index,
    path,
    known: {
      ...known,
      scope: found.scope ?? known.scope,
      oddities: [...known.oddities, ...characterOddities(found.path, '')],
    },
    found,
    digest: fingerprinting.content(found.bytes ?? Buffer.from(`not read: ${found.reason}`)),
  };
}
