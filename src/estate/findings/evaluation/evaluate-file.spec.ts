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

describe('judging a file', () => {
  it('says of each finding what it is about, and what makes it the same', () => {
    const secrets = [{ type: 'jwt' as const, place: '/env/T', fingerprint: 'f' }];
    const { findings } = evaluateFile(file([entry({ secrets, command: 'sh', args: ['-c', 'a; b'] })]), empty);
    expect(findings).toMatchObject([
      { rule: 'plaintext_secret', key: 'entry /env/T', fileId: 'file', entryId: 'entry', serverId: 'server' },
      { rule: 'shell_wrapper', key: 'entry /args/1', connectionId: 'connection' },
    ]);
  });

  it('keeps keys short', () => {
    const secrets = [{ type: 'jwt' as const, place: `/env/${'T'.repeat(5000)}`, fingerprint: 'f' }];
    const { findings } = evaluateFile(file([entry({ secrets })]), empty);
    expect(findings[0].key).toMatch(/^entry [0-9a-f]{64}$/);
  });

  it('has nothing against what is gone', () =>
    expect(
      evaluateFile(file([entry({ command: 'sh', args: ['-c', 'a;b'] })], { isGone: true }), empty).findings,
    ).toEqual([]));

  describe('remembers what was approved', () => {
    const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
    const approves = (hash: string) => new ApprovedList([{ kind: 'definition', value: hash }]);
    const since = { approvedHash: a, approvedDefinition: { command: 'files' }, approvedAt: '2026-11-01T00:00:00Z' };

    it('as it is', () => {
      const fresh = entry({ definitionHash: a });
      expect(evaluateFile(file([fresh]), approves(a))).toMatchObject({
        findings: [],
        memory: { approved: [{ id: 'entry' }] },
      });
    });
    it('and says when it changes', () => {
      const other = entry({ ...since, definitionHash: b, definition: { command: 'sh' } });
      const { findings, memory } = evaluateFile(file([other]), approves(a));
      expect(findings).toMatchObject([{ rule: 'definition_changed', severity: 'critical', key: 'entry' }]);
      expect(memory).toEqual({ approved: [], forgotten: [] });
    });
    it('until the new one is approved', () => {
      const other = entry({ ...since, definitionHash: b });
      expect(evaluateFile(file([other]), approves(b))).toMatchObject({ findings: [], memory: { approved: [{}] } });
    });
    it('or approval is taken back', () => {
      const same = entry({ ...since, definitionHash: a });
      expect(evaluateFile(file([same]), empty)).toMatchObject({ findings: [], memory: { forgotten: [{}] } });
    });
    it('and changes nothing otherwise', () => {
      const same = entry({ ...since, definitionHash: a });
      expect(evaluateFile(file([same]), approves(a))).toMatchObject({ memory: { approved: [], forgotten: [] } });
    });
  });
});
