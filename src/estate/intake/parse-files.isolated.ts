import { entryRules, fileRules } from '../findings/rules.js';
import type { ConfigurationFile, ParsedFile } from '../configuration-file.js';
import type { KnownFile } from '../parsing/known-files.js';
import { parseFile, unreadableFile } from '../parsing/parse.js';

export interface FileToParse {
  path: string;
  known: KnownFile;
  bytes: Uint8Array;
}

export interface FileParseResult {
  /** Fingerprints in it are positions in `secrets`: the key that they are made with does not come here. */
  parsed: ParsedFile;
  secrets: string[];
  /** Name of the error where the parser or a rule failed; the file then counts as unreadable. */
  error?: string;
}

/** Parses, redacts, and judges for a trial: a file that a rule does not come to an end with is not to be stored. */
export const run = (files: FileToParse[]): FileParseResult[] => files.map(parse);

function parse({ path, known, bytes }: FileToParse): FileParseResult {
  const positions = new Map<string, number>();
  const position = (secret: string): string => {
    if (!positions.has(secret)) positions.set(secret, positions.size);
    return String(positions.get(secret));
  };
  try {
    const parsed = parseFile(bytes, known, position);
    tryRules({ ...parsed, path, client: known.client, scope: known.scope, ownerEmail: null }, parsed);
    return { parsed, secrets: [...positions.keys()] };
  } catch (error) {
    // not its message, which may quote the file
    const name = error instanceof Error ? error.name : 'Error';
    return { parsed: unreadableFile(known, 'cannot be understood'), secrets: [], error: name };
  }
}

function tryRules(file: ConfigurationFile, { entries }: ParsedFile): void {
  for (const rule of fileRules) rule.checkFile(file);
  for (const entry of entries) for (const rule of entryRules) rule.check(entry, file);
}
