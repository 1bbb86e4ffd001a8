import type { FileRule } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const oddCasePath: FileRule = {
  id: 'odd_case_path',
  title: 'Path in unusual upper and lower case',
  why: 'Where the file system does not tell the cases apart, the client reads the file as its configuration, while rules that protect the configuration by its name let everybody write it (CVE-2025-59944).',
  checkFile: ({ path, oddities }) =>
    oddities.some(({ kind }) => kind === 'odd_case_path')
      ? [
          {
            severity: 'high',
            reason: `${quotedText(path)} is a configuration under a name in another case than the usual one.`,
            evidence: { path: clippedText(path, 400), usual: clippedText(path.toLowerCase(), 400) },
            fix: 'Find out who made it; delete it, or give it its usual name, all in lower case, where it is watched and reviewed.',
          },
        ]
      : [],
};
