import type { ParsedEntry, ParsedFile } from '../../src/estate/configuration-file.js';
import { matchEntry, matchFile, type MatchedRule } from '../../src/estate/findings/evaluation/match-rules.js';
import { severities, type Severity } from '../../src/estate/findings/rule.js';
import { decode } from '../../src/estate/parsing/decode.js';
import { characterOddities } from '../../src/estate/parsing/invisible-characters.js';
import type { KnownFile } from '../../src/estate/parsing/known-files.js';
import { maxFileBytes, parseFile, unreadableFile } from '../../src/estate/parsing/parse.js';
import { redactedPath } from '../../src/estate/parsing/redacted-path.js';
import type { JsonObject } from '../../src/platform/json/strict-json.js';
import type { FoundFile } from './configuration-search.js';
import { displayPath } from './display-path.js';
import type { FileContent } from './read-configuration.js';
import { withServersOnly } from './server-blocks.js';
import { shadowedServers } from './shadowed-servers.js';
import { SourceLines, type SourcePosition } from './source-lines.js';

/** A configuration file without its secrets. */
export interface ScannedFile {
  /** As in the inventory: with "/" between names, and without secrets. May contain any character. */
  path: string;
  displayPath: string;
  known: KnownFile;
  /** The usual path of a file that its client stores elsewhere. */
  location?: string;
  parsed: ParsedFile;
  size: number;
  modifiedAt: Date | null;
  findings: ScanFinding[];
  /** The positions of its servers, by their names. */
  positions: ReadonlyMap<string, SourcePosition>;
}

export interface ScanFinding {
  rule: string;
  title: string;
  severity: Severity;
  path: string;
  displayPath: string;
  position: SourcePosition | null;
  server: string | null;
  reason: string;
  fix: string;
  evidence: JsonObject;
  /** Identifies the finding as long as it concerns the same place. */
  key: string;
}

/** The values of secrets in this run. They stay in memory: a file only contains their numbers. */
export class SecretNumbers {
  private readonly numbers = new Map<string, number>();

  /** As the fingerprint of a value: equal values have the same number. */
  readonly numberOf = (value: string): string => {
    if (!this.numbers.has(value)) this.numbers.set(value, this.numbers.size + 1);
    return String(this.numbers.get(value));
  };

  /** In the order of their numbers, beginning with 1. */
  get values(): string[] {
    return [...this.numbers.keys()];
  }
}

/** Parses, redacts and evaluates a file like the server. Its text is not kept. */
export function scanFile(found: FoundFile, content: FileContent, secrets: SecretNumbers): ScannedFile {
  const known = {
    ...found.known,
    oddities: [...found.known.oddities, ...characterOddities(found.path, '')],
  };
  const { size, modifiedAt } = content;
  const file = {
    path: redactedPath(found.path),
    displayPath: displayPath(found.path),
    known,
    location: found.location && redactedPath(found.location),
    size,
    modifiedAt,
  };
  if (!content.bytes) return evaluated(file, unreadableFile(known, content.reason ?? 'could not be read'), null);
  const isLarge = content.bytes.length > maxFileBytes;
  const bytes = (isLarge ? withServersOnly(content.bytes) : null) ?? content.bytes;
  try {
    const parsed = parseFile(bytes, known, secrets.numberOf);
    // the lines of a large file would be those of another text
    const decoded = isLarge ? { reason: 'is large' } : decode(bytes);
    return evaluated(file, parsed, 'text' in decoded ? new SourceLines(decoded.text, known) : null);
  } catch {
    return evaluated(file, unreadableFile(known, 'could not be parsed'), null);
  }
}

function evaluated(
  file: Pick<ScannedFile, 'path' | 'displayPath' | 'known' | 'location' | 'size' | 'modifiedAt'>,
  parsed: ParsedFile,
  lines: SourceLines | null,
): ScannedFile {
  const { path, known } = file;
  const { client, scope } = known;
  const { kind, status, problems, oddities, entries } = parsed;
  const configuration = { path, client, scope, ownerEmail: null, kind, status, problems, oddities };
  const findings = [
    ...matchFile(configuration).map((matched) => findingOf(file, null, null, matched)),
    ...entries.flatMap((entry) =>
      matchEntry(entry, configuration).map((matched) =>
        findingOf(file, entry, lines?.positionOf(entry.name, matched.match.at ?? '') ?? null, matched),
      ),
    ),
  ];
  const positions = entries.flatMap(({ name }) => {
    const position = lines?.positionOf(name, '');
    return position ? [[name, position] as const] : [];
  });
  return { ...file, parsed, findings, positions: new Map(positions) };
}

/** The findings in all files, the most severe first. */
export function findingsOf(files: readonly ScannedFile[]): ScanFinding[] {
  const shadowed = shadowedServers(files).map(({ file, entry, ...matched }) =>
    findingOf(file, entry, file.positions.get(entry.name) ?? null, matched),
  );
  return [...files.flatMap(({ findings }) => findings), ...shadowed].sort(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || compare(a, b),
  );
}

const compare = (a: ScanFinding, b: ScanFinding): number =>
  compareText(a.path, b.path) || (a.position?.line ?? 0) - (b.position?.line ?? 0);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function findingOf(
  { path, displayPath: shownPath }: Pick<ScannedFile, 'path' | 'displayPath'>,
  entry: ParsedEntry | null,
  position: SourcePosition | null,
  { rule, match }: MatchedRule,
): ScanFinding {
  const { at, severity, reason, fix, evidence } = match;
  return {
    rule: rule.id,
    title: rule.title,
    severity,
    path,
    displayPath: shownPath,
    position,
    server: entry?.name ?? null,
    reason,
    fix,
    evidence,
    key: [rule.id, entry?.name ?? '', at ?? ''].join('\n'),
  };
}
