import { describe, expect, it } from 'vitest';
import {
  advisories,
  advisoriesAsOf,
  allFixedIn,
  advisoriesOfClient,
  advisoriesOfPackage,
  advisorySeverity,
} from './advisories.js';
import { compareVersions, parseVersion } from './versions.js';

const ids = (known: readonly { id: string }[] | null) => known?.map(({ id }) => id);

describe('the advisory table', () => {
  it.each(advisories.map((advisory) => [advisory.id, advisory] as const))(
    'has comparable versions for %s',
    (_, one) => {
      for (const { from, below } of one.ranges) {
        if (from && below) expect(compareVersions(parseVersion(from)!, parseVersion(below)!)).toBeLessThan(0);
        expect(below === null || parseVersion(below)).toBeTruthy();
      }
      expect(one.fixedIn === null || parseVersion(one.fixedIn)).toBeTruthy();
      expect(one.published <= advisoriesAsOf).toBe(true);
      expect(one.url).toMatch(/^https:\/\//);
    },
  );

  it('lists each advisory once', () => expect(new Set(ids(advisories)).size).toBe(advisories.length));
});

describe('client advisories', () => {
  const all = ['CVE-2025-54135', 'CVE-2025-54136', 'CVE-2025-59944', 'CVE-2025-64106'];
  it.each([
    ['0.42.3', all],
    ['1.2.4', all],
    ['1.2.5', all],
    ['1.3', [all[0], all[2], all[3]]],
    ['1.3.8', [all[0], all[2], all[3]]],
    ['1.3.9', [all[2], all[3]]],
    ['1.6.23', [all[2], all[3]]],
    ['1.7.0', [all[3]]],
    ['1.7.28', [all[3]]],
    ['2.0.0', []],
    ['2.1.17', []],
  ])('apply to version %s', (version, expected) =>
    expect(ids(advisoriesOfClient('cursor', version))).toEqual(expected),
  );

  it('are null for incomparable versions and empty for other clients', () => {
    expect(advisoriesOfClient('cursor', 'nightly')).toBeNull();
    expect(advisoriesOfClient('other', '0.1')).toEqual([]);
  });

  it('determine the version that fixes all of them', () => {
    expect(allFixedIn(advisoriesOfClient('cursor', '1.2.4')!)).toBe('2.0');
    expect(allFixedIn(advisories)).toBeNull();
  });
});

describe('package advisories', () => {
  it.each([
    ['npm', 'mcp-remote', '0.1.15', ['CVE-2025-6514'], []],
    ['npm', 'mcp-remote', '0.0.4', [], []],
    ['npm', 'mcp-remote', '0.1.16', [], []],
    ['npm', 'MCP-Remote', '0.1.3', ['CVE-2025-6514'], []],
    ['npm', 'mcp-remote', '~0.0.5', ['CVE-2025-6514'], []],
    ['npm', 'mcp-remote', '^0.1.0', [], []],
    ['npm', 'mcp-remote', '<0.1.10', ['CVE-2025-6514'], []],
    ['npm', 'mcp-remote', 'latest', [], []],
    ['npm', 'mcp-remote', null, [], ['CVE-2025-6514']],
    ['npm', '@modelcontextprotocol/server-filesystem', '0.6.3', ['CVE-2025-53109', 'CVE-2025-53110'], []],
    ['npm', '@modelcontextprotocol/server-filesystem', '0.6.4', [], []],
    ['npm', '@modelcontextprotocol/server-filesystem', '2025.3.28', ['CVE-2025-53109', 'CVE-2025-53110'], []],
    ['npm', '@modelcontextprotocol/server-filesystem', '2025.7.1', [], []],
    ['pypi', 'MCP_Server.Git', '==2025.9.25', ['CVE-2025-68145'], []],
    ['npm', 'mcp-server-git', '2025.1.1', [], []],
    ['npm', 'postmark-mcp', '1.0.15', [], []],
    ['npm', 'postmark-mcp', '1.0.17', ['MAL-POSTMARK-MCP'], []],
    ['npm', 'postmark-mcp', null, ['MAL-POSTMARK-MCP'], []],
    ['npm', 'postmark-mcp', 'latest', ['MAL-POSTMARK-MCP'], []],
  ] as const)('apply to %s %s %s', (manager, name, spec, certain, possible) => {
    const known = advisoriesOfPackage(manager, name, spec);
    expect([ids(known.certain), ids(known.possible)]).toEqual([certain, possible]);
  });

  it.each([
    [9.6, 'critical'],
    [8.8, 'high'],
    [6.4, 'medium'],
    [3.1, 'low'],
  ])('map a score of %d to %s', (score, severity) => expect(advisorySeverity({ score })).toBe(severity));
});
