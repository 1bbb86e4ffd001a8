import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signedText } from '../src/audit/sealing/audit-head.js';
import { canonicalJson } from '../src/platform/json/strict-json.js';

/* Verification covers everything that a file contains, and reports damaged files. */

interface Verified {
  ok: boolean;
  events?: number;
  problem?: string;
  id?: string;
  line?: number;
}
const { verifyExport, UnreadableInput } = (await import(path.resolve('verify/verify.js'))) as {
  verifyExport: (file: string) => Promise<Verified>;
  UnreadableInput: new () => Error;
};

const folder = mkdtempSync(path.join(tmpdir(), 'export-lines-'));
const tenantId = '11111111-1111-4111-8111-111111111111';
const at = '2026-11-20T12:00:00.000Z';
const pair = generateKeyPairSync('ed25519');
const sha256 = (data: string | Buffer) => hash('sha256', data, 'buffer');

const eventOf = (id: string) => ({
  id,
  at,
  kind: 'approval.approved',
  actor: { kind: 'member', name: 'Grace' },
  subject: null,
  detail: { callId: id, amounts: [1, 2.5, 1e13] },
  requestId: null,
});
const events = ['a', 'b'].map(eventOf);
const leaves = events.map((event) => sha256(`\0${canonicalJson(event)}`));
const root = sha256(Buffer.concat([Buffer.of(1), ...leaves])).toString('hex');
const head = { tenantId, size: 2, root, previous: null, at, epoch: 1 };
const signature = sign(null, Buffer.from(signedText(head)), pair.privateKey).toString('hex');
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

const sealed = events.map((event, position) => ({ ...event, position, leaf: leaves[position].toString('hex') }));
const headLine = { head: { ...head, signature } };
const keyLine = { key: { epoch: 1, publicKey, endorsement: null } };
const endOf = (isFiltered: boolean) => ({ end: { tenantId, isFiltered, size: 2 } });
const exported: object[] = [...sealed, headLine, keyLine, endOf(false)];
const filtered: object[] = [{ ...sealed[0], proof: [leaves[1].toString('hex')] }, headLine, keyLine, endOf(true)];

let files = 0;
function verifyText(text: string): Promise<Verified> {
  const file = path.join(folder, `${++files % 100}.jsonl`);
  writeFileSync(file, text);
  return verifyExport(file);
}
const textOf = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const verify = (lines: readonly object[]) => verifyText(textOf(lines));

it('accepts an export, also after another program has written its lines', async () => {
  expect(await verify(exported)).toMatchObject({ ok: true, complete: true, events: 2 });
  expect(await verify(filtered)).toMatchObject({ ok: true, filtered: true, events: 1 });
  const spaced = exported.map((line) => JSON.stringify(JSON.parse(canonicalJson(line)), null, 1).replaceAll('\n', ' '));
  expect(await verifyText(`${spaced.join('\n\n')}\n`)).toMatchObject({ ok: true, complete: true, events: 2 });
});

it.each([
  ['its own value', (text: string) => text.replace('"kind":"approval.approved"', '"kind":"call.denied",$&')],
  ['a value of an object in it', (text: string) => text.replace('"name":"Grace"', '"name":"Milo",$&')],
  ['a value of a head', (text: string) => text.replace('"epoch":1,"sig', '"at":"2020-01-01T00:00:00.000Z",$&')],
  [
    'its own value, in a line of the same length',
    (text: string) => text.replace('10000000000000', '1e13').replace('"kind":"approval.approved"', '"kind":"",$&'),
  ],
])('reports a line that contains a name twice: %s', async (_what, change) => {
  const lines = textOf(exported).split('\n');
  const index = lines.findIndex((line) => change(line) !== line);
  lines[index] = change(lines[index]);
  expect(await verifyText(lines.join('\n'))).toMatchObject({ ok: false, problem: 'altered', line: index + 1 });
});

it.each([
  ['a head', 2, { ...headLine, ...eventOf('c') }],
  ['a head with more', 2, { head: { ...headLine.head, note: 'Milo approved' } }],
  ['a key', 3, { ...keyLine, ...eventOf('c') }],
  ['a key with more', 3, { key: { ...keyLine.key, note: 'Milo approved' } }],
  ['the last line', 4, { ...endOf(false), ...eventOf('c') }],
  ['the last line with more', 4, { end: { ...endOf(false).end, note: 'Milo approved' } }],
  ['a head without a signature', 2, { head }],
  ['a head with another signature', 2, { head: { ...head, signature: null } }],
  ['a key without a value', 3, { key: { ...keyLine.key, publicKey: null } }],
])('names a line that contains more or less than an export: %s', async (_what, index, line) => {
  expect(await verify(exported.with(index, line))).toMatchObject({ ok: false, problem: 'altered', line: index + 1 });
});

it.each([[null], [7], ['text'], [[]]])('reports a line that is not an object: %j', async (line) => {
  const lines = [...exported.slice(0, 2), line as unknown as object, ...exported.slice(2)];
  expect(await verify(lines)).toMatchObject({ ok: false, problem: 'inserted', line: 3 });
});

it('names an altered event after an empty line', async () => {
  const altered = { ...sealed[1], kind: 'call.denied' };
  const text = `\n${textOf(exported.with(1, altered))}`;
  expect(await verifyText(text)).toMatchObject({ ok: false, problem: 'altered', id: 'b' });
});

describe('a filtered export', () => {
  it.each([
    ['proof', { proof: [7] }],
    ['proof', { proof: {} }],
    ['stored hash', { leaf: leaves[1].toString('hex') }],
    ['position', { position: -1 }],
    ['position', { position: '0' }],
  ])('names an event with another %s', async (_what, change) => {
    expect(await verify(filtered.with(0, { ...filtered[0], ...change }))).toMatchObject({
      ok: false,
      problem: 'altered',
    });
  });
});

it('reports an unsealed event with an invalid time', async () => {
  const { position: _, leaf: __, ...unsealed } = { ...sealed[0], id: 'c', at: 'yesterday' };
  const lines = [...sealed, unsealed, ...exported.slice(2)];
  expect(await verify(lines)).toMatchObject({ ok: false, problem: 'inserted', id: 'c' });
});

describe('any single change of the file', () => {
  it.each([
    ['an export', textOf(exported)],
    ['a filtered export', textOf(filtered)],
  ])('shows: %s', async (_what, text) => {
    const character = fc.constantFrom(...'"{}[],:\\ 0123456789abcdefnulltrue\n');
    const change = fc.record({ at: fc.nat(text.length - 2), character, removed: fc.nat(1), isInsertion: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(change, async ({ at: from, character: inserted, removed, isInsertion }) => {
        const changed = text.slice(0, from) + (isInsertion ? inserted : '') + text.slice(from + removed);
        const isSame = (lines: string) => lines.split('\n').filter(Boolean).map(parsed);
        fc.pre(JSON.stringify(isSame(changed)) !== JSON.stringify(isSame(text)));
        const result = await verifyText(changed).catch((error: unknown) => error);
        if (!(result instanceof UnreadableInput)) expect(result).toMatchObject({ ok: false });
      }),
      { numRuns: 2000 },
    );
  });
});

/** What a program reads from a line. */
function parsed(line: string): unknown {
  try {
    return canonicalJson(JSON.parse(line));
  } catch {
    return { unreadable: line };
  }
}
