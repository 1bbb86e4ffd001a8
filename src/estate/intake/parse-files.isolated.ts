import { entryRules, fileRules } from '../findings/rules.js';
import type { ConfigurationFile, ParsedFile } from '../configuration-file.js';
import type { KnownFile } from '../parsing/known-files.js';
import { parseFile, unreadableFile } from '../parsing/parse.js';
import { parseRedactedForm } from '../parsing/parse-redacted-form.js';

export interface FileToParse {
  path: string;
  known: KnownFile;
  bytes: Uint8Array;
  /** `bytes` is the redacted form of the file. */
  isRedacted?: boolean;
}

export interface FileParseResult {
  /** Its fingerprints are positions in `secrets`, because the worker does not have the fingerprint key. */
  parsed: ParsedFile;
  secrets: string[];
  /** Name of the error if the parser or a rule failed; the file then counts as unreadable. */
  error?: string;
}

/** Parses and redacts files, and tries all rules: a file on which a rule never finishes must not be stored. */
export const run = (files: FileToParse[]): FileParseResult[] => files.map(parse);

function parse({ path, known, bytes, isRedacted }: FileToParse): FileParseResult {
  const positions = new Map<string, number>();
  const position = (secret: string): string => {
    if (!positions.has(secret)) positions.set(secret, positions.size);
    return String(positions.get(secret));
  };
  try {
    const parsed = isRedacted ? parseRedactedForm(bytes, known, position) : parseFile(bytes, known, position);
    tryRules({ ...parsed, path, client: known.client, scope: known.scope, ownerEmail: null }, parsed);
    return { parsed, secrets: [...positions.keys()] };
  } catch (error) {
    // only the name: the message may quote the file
    const name = error instanceof Error ? error.name : 'Error';
    return { parsed: unreadableFile(known, 'could not be parsed'), secrets: [], error: name };
  }
}

function tryRules(file: ConfigurationFile, { entries }: ParsedFile): void {
  for (const rule of fileRules) rule.checkFile(file);
  for (const entry of entries) for (const rule of entryRules) rule.check(entry, file);
}
