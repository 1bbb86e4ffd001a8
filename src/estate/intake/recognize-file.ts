import { derivedId } from '../../platform/crypto/ids.js';
import type { SecretType } from '../configuration-file.js';
import { knownFile, normalizedPath, type KnownFile } from '../parsing/known-files.js';
import { storableFileText, characterOddities } from '../parsing/invisible-characters.js';
import type { Fingerprinter } from '../redaction/fingerprint.service.js';
import { Redactor } from '../redaction/redactor.js';
import type { CollectedFile } from './collected-file.js';

/** A file of which it is known what it is, and which row is its own. */
export interface RecognizedFile {
  id: string;
  /** Position among the files that were found. */
  index: number;
  path: string;
  known: KnownFile;
  found: CollectedFile;
  digest: string;
}

const maxPathLength = 1000;

/** What the file is; or in words why it is not taken in. */
export function recognizeFile(
  sourceId: string,
  found: CollectedFile,
  index: number,
  fingerprinting: Fingerprinter,
): RecognizedFile | string {
  if (found.path.length > maxPathLength) return `has a path of more than ${maxPathLength} characters`;
  const known = knownFile(normalizedPath(found.path));
  if (!known) return 'is no configuration of an AI client that is known here';
  const redactor = new Redactor((value) => fingerprinting.secret(value), new Map<string, SecretType>());
  const path = redactor.text(storableFileText(normalizedPath(found.path)), '');
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
