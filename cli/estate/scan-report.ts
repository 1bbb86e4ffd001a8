import { plural } from '../../src/estate/findings/quoted-text.js';
import { severities, type Severity } from '../../src/estate/findings/rule.js';
import type { Output } from '../terminal/output.js';
import { plainText } from '../terminal/plain-text.js';
import type { ConfigurationSearch, SkippedPath } from './configuration-search.js';
import type { ScanFinding, ScannedFile } from './scanned-estate.js';

export interface ScanResult {
  search: Pick<ConfigurationSearch, 'folderCount' | 'fileCount' | 'skipped'>;
  files: ScannedFile[];
  findings: ScanFinding[];
}

const colors: Record<Severity, number> = { critical: 35, high: 31, medium: 33, low: 36, info: 90 };

/** The number of findings of each severity. */
export const countBySeverity = (findings: readonly ScanFinding[]): Record<Severity, number> =>
  Object.fromEntries(
    severities.map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length]),
  ) as Record<Severity, number>;

/** Prints findings by severity, for people. */
export function printScan(output: Output, { search, files, findings }: ScanResult, hasColor: boolean): void {
  const styled = (text: string, code: number) => (hasColor ? `\u001b[${code}m${text}\u001b[0m` : text);
  const counts = countBySeverity(findings);
  for (const severity of severities) {
    if (!counts[severity]) continue;
    output.line(styled(`${severity} (${counts[severity]})`, colors[severity]));
    output.line();
    for (const finding of findings.filter((one) => one.severity === severity)) {
      const { displayPath, position, title, reason, fix } = finding;
      output.line(`  ${styled(plainText(displayPath) + (position ? `:${position.line}` : ''), 1)}  ${title}`);
      output.line(`    ${plainText(reason)}`);
      output.line(`    Fix: ${plainText(fix)}`);
      output.line();
    }
  }
  printUnread(output, files, search.skipped);
  const servers = files.reduce((sum, { parsed }) => sum + parsed.entries.length, 0);
  const found = severities.filter((severity) => counts[severity]).map((severity) => `${counts[severity]} ${severity}`);
  output.line(
    `${plural(files.length, 'configuration file')} with ${plural(servers, 'server')}: ` +
      (found.length ? `${plural(findings.length, 'finding')} (${found.join(', ')}).` : 'no findings.'),
  );
}

function printUnread(output: Output, files: readonly ScannedFile[], skipped: readonly SkippedPath[]): void {
  const lines = [
    ...files.flatMap(({ displayPath, parsed }) =>
      parsed.problems.map(({ place, reason }) => [displayPath, place, reason]),
    ),
    ...skipped.map(({ displayPath, reason }) => [displayPath, reason]),
  ];
  if (!lines.length) return;
  output.line('Not read');
  output.line();
  for (const parts of lines) output.line(`  ${plainText(parts.filter(Boolean).join(' '))}`);
  output.line();
}

/** The result of `--json`. */
export const scanDocument = ({ search, files, findings }: ScanResult) => ({
  findings: findings.map(({ path, position, rule, severity, title, server, reason, fix, evidence }) => ({
    rule,
    severity,
    title,
    path,
    line: position?.line ?? null,
    column: position?.column ?? null,
    server,
    reason,
    fix,
    evidence,
  })),
  files: files.map(({ path, known, parsed }) => ({
    path,
    client: known.client,
    scope: known.scope,
    status: parsed.status,
    servers: parsed.entries.map(({ name, transport, definitionHash }) => ({ name, transport, definitionHash })),
    problems: parsed.problems,
  })),
  skipped: search.skipped.map(({ path, reason }) => ({ path, reason })),
  counts: { ...countBySeverity(findings), folders: search.folderCount, files: search.fileCount },
});
