import { createHash } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Severity } from '../../src/estate/findings/rule.js';
import { rules } from '../../src/estate/findings/rules.js';
import { redactedPath } from '../../src/estate/parsing/redacted-path.js';
import { plainText } from '../terminal/plain-text.js';
import type { ScanFinding } from './scanned-estate.js';

const levels: Record<Severity, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** GitHub derives its severity from a CVSS-like number in a text. */
const securitySeverities: Record<Severity, string> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
};

/** Findings as SARIF 2.1.0, for GitHub code scanning and similar tools. */
export function sarifOf(findings: readonly ScanFinding[], version: string): object {
  const used = rules.filter(({ id }) => findings.some(({ rule }) => rule === id));
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Countersign estate scan',
            version,
            rules: used.map(({ id, title, why }) => ({
              id,
              name: id,
              shortDescription: { text: title },
              fullDescription: { text: why },
              help: { text: why },
              properties: {
                tags: ['security'],
                'security-severity': worstOf(findings.filter(({ rule }) => rule === id)),
              },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { uri: pathToFileURL(`${redactedPath(process.cwd())}/`).href } },
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: used.findIndex(({ id }) => id === finding.rule),
          level: levels[finding.severity],
          message: { text: withoutLinks(plainText(`${finding.reason} ${finding.fix}`)) },
          locations: [{ physicalLocation: { artifactLocation: artifactOf(finding), ...regionOf(finding) } }],
          partialFingerprints: {
            'countersignFinding/v1': digest(`${artifactOf(finding).uri}\n${finding.key}`),
          },
          properties: { severity: finding.severity },
        })),
      },
    ],
  };
}

const worstOf = (findings: readonly ScanFinding[]): string =>
  findings
    .map(({ severity }) => securitySeverities[severity])
    .sort()
    .at(-1)!;

/** Relative to the current folder if it is below it, as code hosts expect. */
function artifactOf({ displayPath }: ScanFinding): { uri: string; uriBaseId?: string } {
  if (path.isAbsolute(displayPath)) return { uri: pathToFileURL(displayPath).href };
  return { uri: displayPath.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SRCROOT' };
}

/** In a message, "[text](address)" is a link: the name of a server must not become one. */
const withoutLinks = (text: string): string => text.replaceAll('](', '] (');

const regionOf = ({ position }: ScanFinding) =>
  position ? { region: { startLine: position.line, startColumn: position.column } } : {};

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
