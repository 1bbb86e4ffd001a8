import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import type { ServerEntry } from '../../configuration-file.js';
import { ApprovedList } from '../approved/approved-list.js';
import { type EvaluatedEntry, type EvaluatedFile, evaluateFile } from './evaluate-file.js';

const empty = new ApprovedList([]);
const entry = (about: Partial<EvaluatedEntry> & Partial<ServerEntry>): EvaluatedEntry => ({
  ...anEntry(about),
  id: 'entry',
  serverId: 'server',
  approvedHash: null,
  approvedDefinition: null,
  approvedAt: null,
  ...about,
});
const file = (entries: EvaluatedEntry[], about: Partial<EvaluatedFile> = {}): EvaluatedFile => ({
  ...aConfiguration(),
  id: 'file',
  connectionId: 'connection',
  version: 1,
  isGone: false,
  entries,
  ...about,
});

describe('evaluating a file', () => {
  it('gives each finding a subject and a stable key', () => {
    const secrets = [{ type: 'jwt' as const, place: '/env/T', fingerprint: 'f' }];
    const { findings } = evaluateFile(file([entry({ secrets, command: 'sh', args: ['-c', 'a; b'] })]), empty);
    expect(findings).toMatchObject([
      { rule: 'plaintext_secret', key: 'entry /env/T', fileId: 'file', entryId: 'entry', serverId: 'server' },
      { rule: 'shell_wrapper', key: 'entry /args/1', connectionId: 'connection' },
    ]);
  });

  it('limits the length of keys', () => {
    const secrets = [{ type: 'jwt' as const, place: `/env/${'T'.repeat(5000)}`, fingerprint: 'f' }];
    const { findings } = evaluateFile(file([entry({ secrets })]), empty);
    expect(findings[0].key).toMatch(/^entry [0-9a-f]{64}$/);
  });

  it('reports nothing for a removed file', () =>
    expect(
      evaluateFile(file([entry({ command: 'sh', args: ['-c', 'a;b'] })], { isGone: true }), empty).findings,
    ).toEqual([]));

  describe('with an approval memory', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const approves = (hash: string) => new ApprovedList([{ kind: 'definition', value: hash }]);
    const since = { approvedHash: a, approvedDefinition: { command: 'files' }, approvedAt: '2026-11-01T00:00:00Z' };

    it('remembers an approved entry', () => {
      const fresh = entry({ definitionHash: a });
      expect(evaluateFile(file([fresh]), approves(a))).toMatchObject({
        findings: [],
        memory: { approved: [{ id: 'entry' }] },
      });
    });
    it('reports a changed definition', () => {
      const other = entry({ ...since, definitionHash: b, definition: { command: 'sh' } });
      const { findings, memory } = evaluateFile(file([other]), approves(a));
      expect(findings).toMatchObject([{ rule: 'definition_changed', severity: 'critical', key: 'entry' }]);
      expect(memory).toEqual({ approved: [], forgotten: [] });
    });
    it('remembers the new definition once it is approved', () => {
      const other = entry({ ...since, definitionHash: b });
      expect(evaluateFile(file([other]), approves(b))).toMatchObject({ findings: [], memory: { approved: [{}] } });
    });
    it('forgets the entry when its approval is revoked', () => {
      const same = entry({ ...since, definitionHash: a });
      expect(evaluateFile(file([same]), empty)).toMatchObject({ findings: [], memory: { forgotten: [{}] } });
    });
    it('leaves an unchanged approved entry alone', () => {
      const same = entry({ ...since, definitionHash: a });
      expect(evaluateFile(file([same]), approves(a))).toMatchObject({ memory: { approved: [], forgotten: [] } });
    });
  });
});
