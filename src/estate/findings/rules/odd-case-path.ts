import type { FileRule } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const oddCasePath: FileRule = {
  id: 'odd_case_path',
  title: 'Path with unusual letter case',
  why: 'On a case-insensitive file system, the client reads the file as its configuration, but rules that protect the configuration by its name do not apply to it (CVE-2025-59944).',
  checkFile: ({ path, oddities }) =>
    oddities.some(({ kind }) => kind === 'odd_case_path')
      ? [
          {
            severity: 'high',
            reason: `${quotedText(path)} is a configuration file whose path has an unusual letter case.`,
            evidence: { path: clippedText(path, 400), usual: clippedText(path.toLowerCase(), 400) },
            fix: 'Find out who created it. Delete it, or rename it to the usual lowercase path, where it is monitored and reviewed.',
          },
        ]
      : [],
};
