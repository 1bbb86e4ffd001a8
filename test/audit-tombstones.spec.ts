import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type AuditHead, type AuditTombstone, signedText, tombstoneText } from '../src/audit/sealing/audit-head.js';
import { canonicalJson } from '../src/platform/json/strict-json.js';

/* What somebody who has a signing key, but not the database, can make of an export. */

interface Verified {
  ok: boolean;
  complete?: boolean;
  removed?: number;
  message?: string;
  warnings?: string[];
}
const { verifyExport } = (await import(path.resolve('verify/verify.js'))) as {
  verifyExport: (file: string, since?: object) => Promise<Verified>;
};

const tenantId = '11111111-1111-4111-8111-111111111111';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse('2026-11-20T12:00:00.000Z');
const time = (ms: number) => new Date(ms).toISOString();
const sha256 = (data: string | Buffer) => hash('sha256', data, 'buffer');
const node = (left: Buffer, right: Buffer) => sha256(Buffer.concat([Buffer.of(1), left, right]));

const pairs = [1, 2].map(() => generateKeyPairSync('ed25519'));
const signAs = (epoch: number, text: string) =>
  sign(null, Buffer.from(text), pairs[epoch - 1].privateKey).toString('hex');
const publicKeyOf = (epoch: number) =>
  pairs[epoch - 1].publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const endorsed = { epoch: 2, publicKey: publicKeyOf(2) };
const keyLines = [
  { key: { epoch: 1, publicKey: publicKeyOf(1), endorsement: null } },
  { key: { ...endorsed, endorsement: signAs(1, `countersign audit key v1\n${canonicalJson(endorsed)}`) } },
];

const leaves = [0, 1, 2, 3].map((n) => sha256(`\0${n}`));
const rootOfTwo = node(leaves[0], leaves[1]);
const rootOfFour = node(rootOfTwo, node(leaves[2], leaves[3]));

function headOf(size: number, root: Buffer, at: number, epoch: number, before?: AuditHead): AuditHead {
  const { signature: _, ...previous } = before ?? { signature: '' };
  const head = {
    tenantId,
    size,
    root: root.toString('hex'),
    previous: before ? sha256(signedText(previous as AuditHead)).toString('hex') : null,
    at: time(at),
    epoch,
  };
  return { ...head, signature: signAs(epoch, signedText(head)) };
}

function tombstoneOf(root: Buffer, cutoff: number, at: number, epoch: number): [AuditTombstone, textHash: string] {
  const to = root === rootOfTwo ? 2 : 4;
  const subtrees = [root.toString('hex')];
  const tombstone = { tenantId, from: 0, to, count: to, subtrees, cutoff: time(cutoff), at: time(at), epoch };
  const text = tombstoneText(tombstone);
  return [{ ...tombstone, signature: signAs(epoch, text) }, sha256(text).toString('hex')];
}

const recordOf = (tombstone: string, at: number) => ({
  id: 'record',
  at: time(at),
  kind: 'audit.events_removed',
  actor: {},
  subject: null,
  detail: { tombstone },
  requestId: null,
});

function verify(lines: object[], since?: AuditHead, size = 4, isFiltered = false): Promise<Verified> {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'tombstones-')), 'audit.jsonl');
  const all = [...lines, ...keyLines, { end: { tenantId, isFiltered, size } }];
  writeFileSync(file, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return verifyExport(file, since && { ...since, publicKey: publicKeyOf(since.epoch) });
}

/** An export in which the tombstone of the first four events is recorded by the fifth. */
async function verifyRecorded(options: { epoch?: number; recordedAt?: number; headEpoch?: number } = {}) {
  const { epoch = 2, recordedAt = now, headEpoch = 2 } = options;
  const [tombstone, textHash] = tombstoneOf(rootOfFour, now - 2 * dayMs, now, epoch);
  const record = recordOf(textHash, recordedAt);
  const leaf = sha256(`\0${canonicalJson(record)}`);
  const first = headOf(2, rootOfTwo, now - 40 * dayMs, 1);
  const trusted = headOf(4, rootOfFour, now - 3 * dayMs, headEpoch, first);
  const last = headOf(5, node(rootOfFour, leaf), now + hourMs, headEpoch, trusted);
  const heads = [first, trusted, last].map((head) => ({ head }));
  return verify([{ tombstone }, { ...record, position: 4, leaf: leaf.toString('hex') }, ...heads], trusted, 5);
}

it('accepts a tombstone that a sealed event records', async () => {
  expect(await verifyRecorded()).toMatchObject({ ok: true, complete: true, removed: 4, warnings: [] });
});

it('requires the event of the newest tombstone, whenever its range was sealed', async () => {
  const head = headOf(4, rootOfFour, now - 1000, 1);
  for (const cutoff of [now - 999, now - 998 - dayMs]) {
    const [tombstone] = tombstoneOf(rootOfFour, cutoff, now - 998, 1);
    expect(await verify([{ tombstone }, { head }], head)).toMatchObject({ ok: false, problem: 'tombstone' });
  }
  const old = headOf(4, rootOfFour, now - 3 * dayMs, 1);
  const [early] = tombstoneOf(rootOfFour, now - 2.9 * dayMs, now - 1.5 * dayMs, 1);
  expect(await verify([{ tombstone: early }, { head: old }], old)).toMatchObject({
    ok: false,
    message: expect.stringContaining('not recorded') as string,
  });
});

it('refuses a removal of events that are younger than a day', async () => {
  const head = headOf(4, rootOfFour, now - 1000, 1);
  const [tombstone, textHash] = tombstoneOf(rootOfFour, now + dayMs, now + dayMs + hourMs, 1);
  const record = recordOf(textHash, now);
  expect(await verify([{ tombstone }, record, { head }], head)).toMatchObject({
    ok: false,
    message: expect.stringContaining('older than a day') as string,
  });
});

it('reports a tombstone as not proven while its event is not sealed', async () => {
  const head = headOf(4, rootOfFour, now - 3 * dayMs, 1);
  const [tombstone, textHash] = tombstoneOf(rootOfFour, now - 2 * dayMs, now, 1);
  const found = await verify([{ tombstone }, recordOf(textHash, now), { head }], head);
  expect(found).toMatchObject({ ok: true, complete: false, warnings: [expect.stringContaining('not sealed yet')] });
});

it('refuses a tombstone that is signed with a replaced key', async () => {
  const first = headOf(2, rootOfTwo, now - 40 * dayMs, 1);
  const head = headOf(4, rootOfFour, now - 3 * dayMs, 2, first);
  const [tombstone, textHash] = tombstoneOf(rootOfFour, now - 2 * dayMs, now, 1);
  const heads = [{ head: first }, { head }];
  expect(await verify([{ tombstone }, ...heads], head)).toMatchObject({ ok: false, problem: 'tombstone' });
  const unsealed = await verify([{ tombstone }, recordOf(textHash, now), ...heads], head);
  expect(unsealed).toMatchObject({ ok: false, message: expect.stringContaining('no longer in use') as string });
  expect(await verifyRecorded({ epoch: 1 })).toMatchObject({
    ok: false,
    message: expect.stringContaining('no longer in use') as string,
  });
});

it('refuses an event with another time than its tombstone', async () => {
  expect(await verifyRecorded({ recordedAt: now - dayMs })).toMatchObject({ ok: false, problem: 'tombstone' });
});

it('refuses tombstones in a filtered export, which nothing proves', async () => {
  const head = headOf(4, rootOfFour, now - 1000, 1);
  const [{ signature: _, ...tombstone }] = tombstoneOf(rootOfFour, now - 2 * dayMs, now, 1);
  expect(await verify([{ tombstone }, { head }], head, 4, true)).toMatchObject({ ok: false, problem: 'tombstone' });
});
