import { describe, expect, it } from 'vitest';
import {
  declaredUnusedMatch,
  type UndeclaredServerUse,
  type UnusedServer,
  usedUndeclaredMatch,
} from './declared-and-used.js';
import { type ChangedDefinition, definitionChangedMatch, differingPointers } from './definition-changed.js';
import { type UnapprovedServer, unapprovedMatch } from './not-approved.js';
import { outdatedClientMatch } from './outdated-client.js';
import { type ShadowingEntry, shadowedServerMatch } from './shadowed-server.js';

describe('the definition_changed rule', () => {
  const was: ChangedDefinition = {
    name: 'files',
    approvedHash: 'a',
    approvedAt: new Date('2026-10-05T08:00:00Z'),
    approved: { command: 'npx', args: ['-y', 'mcp-files'], env: { A: '1' } },
    hash: 'b',
    definition: { command: 'npx', args: ['-y', 'mcp-files'], env: { A: '1' } },
  };
  it.each([
    [{ ...was.definition, command: 'sh' }, 'critical', ['/command']],
    [{ ...was.definition, args: ['-y', 'mcp-other'] }, 'critical', ['/args/1']],
    [{ ...was.definition, env: { A: '2', B: '1' } }, 'high', ['/env/A', '/env/B']],
    [{ url: 'https://x.example' }, 'critical', ['/args', '/command', '/env', '/url']],
  ] as const)('rates a change to %j as %s', (definition, severity, places) =>
    expect(definitionChangedMatch({ ...was, definition: definition as never })).toMatchObject({
      severity,
      evidence: { places, approvedHash: 'a', hash: 'b' },
    }),
  );
  it('lists the differing places, and none for equal definitions', () => {
    expect(differingPointers(was.approved, was.definition)).toEqual([]);
    expect(differingPointers({ a: [1, [2]] }, { a: [1, [3], null] })).toEqual(['/a/1/0']);
    expect(differingPointers({ 'a/b': 1 }, { 'a/b': 2 })).toEqual(['/a~1b']);
    expect(differingPointers({}, { constructor: 1 })).toEqual(['/constructor']);
  });
});

describe('the not_approved rule', () => {
  const server: UnapprovedServer = {
    name: 'files',
    what: 'npm:mcp-files',
    by: 'package',
    value: 'npm:mcp-files',
    entries: 3,
    files: 2,
    approvedEntries: 0,
    isListEmpty: false,
  };
  it.each([
    [{}, 'medium', 'Server “files” (“npm:mcp-files”) was found in 2 files and is not approved.'],
    [{ isListEmpty: true }, 'low', 'the approved list is empty'],
    [{ approvedEntries: 1, entries: 1, files: 1 }, 'medium', '1 entry in 1 file differs from it'],
  ])('reports %j as %s', (about, severity, words) => {
    const found = unapprovedMatch({ ...server, ...about });
    expect(found).toMatchObject({ severity, evidence: { approvable: { kind: 'package', value: 'npm:mcp-files' } } });
    expect(found.reason).toContain(words);
  });
});

describe('the shadowed_server rule', () => {
  const one: ShadowingEntry = {
    name: 'github',
    path: '~/shop/.cursor/mcp.json',
    isSameServer: false,
    isOnSameDevice: true,
    userEntries: 1,
    userPath: '~/.cursor/mcp.json',
  };
  it.each([
    [{}, 'high', 'the user’s server in “~/.cursor/mcp.json” with another server'],
    [{ isSameServer: true }, 'low', 'a different definition of the same server'],
    [{ isOnSameDevice: false, userEntries: 7 }, 'medium', 'the server of 7 users who may open the project'],
  ])('reports %j as %s', (about, severity, words) => {
    const found = shadowedServerMatch({ ...one, ...about });
    expect(found.severity).toBe(severity);
    expect(found.reason).toContain(words);
  });
});

describe('the outdated_client rule', () => {
  const used = { client: 'cursor', clientTitle: 'Cursor', people: 4, lastDay: '2026-11-18' };
  it.each([
    ['1.2.4', 'high', '2.0', 4],
    ['1.7.28', 'high', '2.0', 1],
  ])('reports version %s as %s', (version, severity, fixedIn, count) => {
    const found = outdatedClientMatch({ ...used, version })!;
    expect(found).toMatchObject({ at: version, severity, evidence: { fixedIn, people: 4 } });
    expect(found.evidence.advisories).toHaveLength(count);
    expect(found.fix).toContain(`Cursor to ${fixedIn} or later`);
  });
  it.each(['2.0.43', '', 'unknown'])('accepts %j', (version) =>
    expect(outdatedClientMatch({ ...used, version })).toBeNull(),
  );
});

describe('the rules that compare declared and used servers', () => {
  const use: UndeclaredServerUse = {
    server: 'browser',
    calls: 12,
    people: 3,
    firstDay: '2026-11-01',
    lastDay: '2026-11-18',
    peopleWithout: 2,
    isDeclared: false,
    days: 30,
  };
  it.each([
    [{}, 'medium', '3 people used server “browser” (12 calls in 30 days), which no known file declares.'],
    [{ peopleWithout: 0 }, 'low', 'which no known file declares'],
    [{ isDeclared: true, peopleWithout: 1 }, 'low', '1 person used server “browser”, but none of their known files'],
  ])('report an undeclared server with %j as %s', (about, severity, words) => {
    const found = usedUndeclaredMatch({ ...use, ...about })!;
    expect(found).toMatchObject({ at: 'browser', severity });
    expect(found.reason).toContain(words);
  });
  it('accept a server that all its users declare', () =>
    expect(usedUndeclaredMatch({ ...use, isDeclared: true, peopleWithout: 0 })).toBeNull());

  const unused: UnusedServer = { name: 'jira', files: 2, owners: 2, hasSecrets: false, since: '2026-09-01', days: 30 };
  it.each([
    [{}, 'info', 'nobody called it in the last 30 days.'],
    [{ hasSecrets: true }, 'low', 'although it holds secrets'],
  ])('report an unused server with %j as %s', (about, severity, words) => {
    const found = declaredUnusedMatch({ ...unused, ...about });
    expect(found.severity).toBe(severity);
    expect(found.reason).toContain(words);
  });
});
