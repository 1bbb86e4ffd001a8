import { derivedId } from '../../platform/crypto/ids.js';
import type { SecretType } from '../parsed.js';
import { knownFile, normalizedPath, type KnownFile } from '../parsing/known-files.js';
import { storable, unseenOddities } from '../parsing/unseen.js';
import type { Fingerprinting } from '../redaction/fingerprints.service.js';
import { Redactor } from '../redaction/redactor.js';
import type { FoundFile } from './found-file.js';

/** A file of which it is known what it is, and which row is its own. */
export interface Recognized {
  id: string;
  /** Position among the files that were found. */
  index: number;
  path: string;
  known: KnownFile;
  found: FoundFile;
  digest: string;
}

const longestPath = 1000;

/** What the file is; or in words why it is not taken in. */
export function recognize(
  sourceId: string,
  found: FoundFile,
  index: number,
  fingerprinting: Fingerprinting,
): Recognized | string {
  if (found.path.length > longestPath) return `has a path of more than ${longestPath} characters`;
  const known = knownFile(normalizedPath(found.path));
  if (!known) return 'is no configuration of an AI client that is known here';
  const redactor = new Redactor((value) => fingerprinting.secret(value), new Map<string, SecretType>());
  const path = redactor.text(storable(normalizedPath(found.path)), '');
  return {
    id: derivedId(sourceId, path),
    index,
    path,
    known: {
      ...known,
      scope: found.scope ?? known.scope,
      oddities: [...known.oddities, ...unseenOddities(found.path, '')],
    },
    found,
    digest: fingerprinting.content(found.bytes ?? Buffer.from(`not read: ${found.reason}`)),
  };
}
