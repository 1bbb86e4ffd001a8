import { createPublicKey, hash, verify as verifySignature } from 'node:crypto';
import { createReadStream } from 'node:fs';

/*
 * The tree is the one of RFC 6962 with SHA-256, a leaf is the canonical JSON (RFC 8785) of an event, and signatures are
 * Ed25519. docs/audit.md describes the file.
 */

const hashBytes = 32;
/** An event may be older than the newest head for this long, because its transaction was still running. */
const longestTransactionMs = 15 * 60_000;
/** Retention removes no events that are younger. */
const shortestRetentionMs = 24 * 3_600_000;
const hexHash = /^[0-9a-f]{64}$/;
const hexSignature = /^[0-9a-f]{128}$/;

const isSize = (value) => Number.isSafeInteger(value) && value >= 0;
const isText = (value) => typeof value === 'string';
const isHash = (value) => isText(value) && hexHash.test(value);
const isSignature = (value) => isText(value) && hexSignature.test(value);
const isNullOr = (matches) => (value) => value === null || matches(value);
const isListOf = (matches) => (value) => Array.isArray(value) && value.every(matches);

/** The exact fields of all lines except events. No proof covers other fields. */
const lineForms = {
  head: {
    tenantId: isText,
    size: isSize,
    root: isHash,
    previous: isNullOr(isHash),
    at: isText,
    epoch: isSize,
    signature: isSignature,
  },
  tombstone: {
    tenantId: isText,
    from: isSize,
    to: isSize,
    count: isSize,
    subtrees: isListOf(isHash),
    cutoff: isText,
    at: isText,
    epoch: isSize,
    signature: isSignature,
  },
  key: { epoch: isSize, publicKey: isHash, endorsement: isNullOr(isSignature) },
  end: { tenantId: isText, isFiltered: (value) => typeof value === 'boolean', size: isSize },
};
const kindsOfLines = Object.keys(lineForms);
const namesOfEvent = ['id', 'at', 'kind', 'actor', 'subject', 'detail', 'requestId'];

/** The input is no export, or no head. */
export class UnreadableInput extends Error {}

/** The first finding ends the verification. */
class Finding extends Error {
  constructor(problem, message, place = {}) {
    super(message);
    this.report = { problem, message, ...place };
  }
}

const sha256 = (data) => hash('sha256', data, 'buffer');
/** A prefix separates the hashes of leaves from those of nodes. */
const leafHash = (event) => sha256(`\0${canonicalJson(event)}`);
const nodeData = Buffer.alloc(1 + 2 * hashBytes, 1);
function nodeHash(left, right) {
  left.copy(nodeData, 1);
  right.copy(nodeData, 1 + hashBytes);
  return sha256(nodeData);
}

/** RFC 8785. */
function canonicalJson(value) {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '{';
  for (const key of Object.keys(value).sort())
    text += `${text === '{' ? '' : ','}${quote(key)}:${canonicalJson(value[key])}`;
  return `${text}}`;
}

/** Printable ASCII without quotation marks and backslashes: needs no escapes. */
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const quote = (text) => (plainText.test(text) ? `"${text}"` : JSON.stringify(text));

const withoutSignature = ({ tenantId, size, root, previous, at, epoch }) => ({
  tenantId,
  size,
  root,
  previous,
  at,
  epoch,
});
const headText = (head) => `countersign audit head v1\n${canonicalJson(withoutSignature(head))}`;
const tombstoneText = ({ signature: _, ...tombstone }) => `countersign audit tombstone v1\n${canonicalJson(tombstone)}`;
const headHash = (head) => sha256(headText(head)).toString('hex');

function isSigned(text, signature, publicKey) {
  // SubjectPublicKeyInfo of Ed25519 (RFC 8410)
  const key = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(publicKey, 'hex')]),
    format: 'der',
    type: 'spki',
  });
  return verifySignature(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
}

/** Not node:readline, which also breaks lines at U+2028. */
async function* readLines(file) {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}

/** Hashes in one growing buffer: 32 bytes an event. */
class HashList {
  length = 0;
  #bytes = Buffer.alloc(hashBytes * 1024);

  push(hash) {
    if (this.length * hashBytes === this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    hash.copy(this.#bytes, this.length++ * hashBytes);
  }

  at(index) {
    return this.#bytes.subarray(index * hashBytes, (index + 1) * hashBytes);
  }
}

/** Reads the file once. Findings inside of events are collected, because the end of the file can explain them better. */
async function readExport(file) {
  const found = {
    /** Where the last tombstone ends. */
    start: 0,
    tombstones: [],
    /** The hashes of tombstones that sealed events record, with the position and the time of the event. */
    recorded: new Map(),
    /** The same of events that are not sealed yet. */
    recordedUnsealed: new Set(),
    leaves: new HashList(),
    proven: [],
    unsealed: [],
    heads: [],
    keys: new Map(),
    end: null,
    first: null,
  };
  let number = 0;
  for await (const text of readLines(file)) {
    number++;
    if (!text) continue;
    if (found.end)
      throw new Finding('inserted', `Line ${number} follows the last line of the export.`, { line: number });
    const line = parseLine(text, number);
    const kind = kindsOfLines.find((name) => Object.hasOwn(line, name));
    if (kind) requireForm(line, kind, number);
    if (kind === 'head') found.heads.push(line.head);
    else if (kind === 'tombstone') readTombstone(found, line.tombstone, number);
    else if (kind === 'key') found.keys.set(line.key.epoch, line.key);
    else if (kind === 'end') found.end = line.end;
    else readEvent(found, line, number);
  }
  if (!found.end)
    throw new Finding('cut-off', `The file ends at line ${number}, before the last line of an export.`, {
      line: number,
    });
  return found;
}

function parseLine(text, number) {
  let line;
  try {
    line = JSON.parse(text);
  } catch {
    if (number === 1) throw new UnreadableInput('The file is no export of the audit log.');
    throw new Finding('cut-off', `Line ${number} is incomplete.`, { line: number });
  }
  if (line === null || typeof line !== 'object' || Array.isArray(line))
    throw new Finding('inserted', `Line ${number} is not a line of an export.`, { line: number });
  // only text that JSON.stringify would write differently can repeat a name
  if (JSON.stringify(line) !== text && hasRepeatedName(line, text))
    throw new Finding('altered', `Line ${number} contains a name twice, so readers could see different values.`, {
      line: number,
    });
  return line;
}

/** `JSON.parse` drops all but the last value of a name. */
function hasRepeatedName(value, text) {
  let written = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/gs)) if (colon) written++;
  return written !== countNames(value);
}

const countNames = (value) =>
  value === null || typeof value !== 'object'
    ? 0
    : Object.values(value).reduce(
        (count, inner) => count + countNames(inner),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      );

/** Rejects additional fields, because a reader could take them for an event, for example. */
function requireForm(line, kind, number) {
  const content = line[kind];
  const form = lineForms[kind];
  const names = Object.keys(form);
  const isExact =
    Object.keys(line).length === 1 &&
    content !== null &&
    typeof content === 'object' &&
    Object.keys(content).length === names.length &&
    names.every((name) => Object.hasOwn(content, name) && form[name](content[name]));
  const problem = kind === 'tombstone' ? kind : 'altered';
  if (!isExact) throw new Finding(problem, `Line ${number} is not a valid ${kind}.`, { line: number });
}

/** Names the first and the last position. */
const tombstoneName = ({ from, to }) => `The tombstone of positions ${from} to ${to - 1}`;

function readTombstone(found, tombstone, line) {
  const { from, to, count, subtrees } = tombstone;
  const name = tombstoneName(tombstone);
  const fail = (message) => {
    throw new Finding('tombstone', message, { position: from, line });
  };
  if (found.leaves.length || found.first || found.unsealed.length) fail(`${name} stands after events.`);
  const isWellFormed =
    to > from && count === to - from && subtrees.length === BigInt(to).toString(2).replaceAll('0', '').length;
  if (!isWellFormed) fail(`The tombstone in line ${line} contradicts itself.`);
  if (from < found.start) fail(`${name} overlaps the one before it.`);
  if (from > found.start)
    throw new Finding('removed', `The event at position ${found.start} was removed, and no tombstone covers it.`, {
      position: found.start,
      line,
    });
  found.tombstones.push({ ...tombstone, line });
  found.start = to;
}

function readEvent(found, { position, leaf, proof, ...event }, line) {
  const place = { position, id: event.id, line };
  const name = `Event ${event.id} at position ${position}`;
  if (position !== undefined && !isSize(position))
    throw new Finding('altered', `Line ${line} has no valid position.`, { line });
  const removal = event.kind === 'audit.events_removed' ? event.detail?.tombstone : undefined;
  if (position === undefined) {
    const names = Object.keys({ ...event, ...(leaf !== undefined && { leaf }), ...(proof !== undefined && { proof }) });
    if (names.length !== namesOfEvent.length || !namesOfEvent.every((name) => Object.hasOwn(event, name)))
      throw new Finding('altered', `Line ${line} is not a valid event.`, { id: event.id, line });
    if (removal) found.recordedUnsealed.add(removal);
    return void found.unsealed.push({ id: event.id, at: event.at, line });
  }
  const hash = leafHash(event);
  if (proof !== undefined) return void found.proven.push({ ...place, name, hash, leaf, proof });
  const expected = found.start + found.leaves.length;
  if (found.first) {
    // what follows tells a removed event from a moved one
    if (found.first.problem === 'removed' && position === found.first.position && event.kind)
      found.first = {
        ...found.first,
        problem: 'reordered',
        id: event.id,
        message: `${name} stands after event ${found.first.next}: the order was changed.`,
      };
    else if (found.first.problem === 'altered' && hash.toString('hex') === found.first.leaf)
      found.first = {
        ...found.first,
        problem: 'reordered',
        message: `Event ${found.first.id} stands at position ${found.first.position}, which belongs to event ${event.id}: the order was changed.`,
      };
    return;
  }
  if (position > expected)
    found.first = {
      problem: 'removed',
      position: expected,
      line,
      next: event.id,
      message: `The event at position ${expected} was removed. The next one is ${event.id}.`,
    };
  else if (position < expected)
    found.first = {
      problem: 'inserted',
      ...place,
      message: `${name} was inserted: the position is taken by another event.`,
    };
  else if (!event.kind) found.first = { problem: 'removed', ...place, message: `${name} was removed.` };
  else if (hash.toString('hex') !== leaf)
    found.first = { problem: 'altered', ...place, leaf, message: `${name} was altered.` };
  else {
    found.leaves.push(hash);
    if (removal) found.recorded.set(removal, { position, at: event.at });
  }
}

function checkKeys(keys) {
  const warnings = [];
  for (const { epoch, publicKey, endorsement } of keys.values()) {
    const before = keys.get(epoch - 1);
    if (!before) continue;
    const text = `countersign audit key v1\n${canonicalJson({ epoch, publicKey })}`;
    if (!endorsement)
      warnings.push(
        `The key of epoch ${epoch} is not endorsed by the key of epoch ${epoch - 1}. Ask the operator whether the master key was lost.`,
      );
    else if (!isSigned(text, endorsement, before.publicKey))
      throw new Finding('signature', `The endorsement of the key of epoch ${epoch} is not valid.`);
  }
  return warnings;
}

function checkHead(head, keys, tenantId) {
  const place = { size: head.size };
  const key = keys.get(head.epoch);
  if (head.tenantId !== tenantId)
    throw new Finding('signature', `The head at size ${head.size} belongs to another organization.`, place);
  if (!key || !isSigned(headText(head), head.signature, key.publicKey))
    throw new Finding('signature', `The signature of the head at size ${head.size} is not valid.`, place);
}

const subtreesOf = ({ subtrees }) => subtrees.map((root) => Buffer.from(root, 'hex'));

/**
 * A tombstone is signed, continues a signed head that is older than its cutoff, and is recorded by a sealed event. Only
 * the event of an earlier tombstone may be removed itself. Returns warnings.
 */
function checkTombstones({ tombstones, recorded, recordedUnsealed, heads, keys, end, first }) {
  const warnings = [];
  const headAt = new Map(heads.map((head) => [head.size, head]));
  const newest = tombstones.at(-1);
  const newestEnd = Date.parse(headAt.get(newest?.to)?.at);
  for (const tombstone of tombstones) {
    const { line, ...signed } = tombstone;
    const name = tombstoneName(tombstone);
    const check = (isTrue, message) => {
      if (!isTrue) throw new Finding('tombstone', `${name} ${message}`, { position: tombstone.from, line });
    };
    const key = keys.get(tombstone.epoch);
    const text = tombstoneText(signed);
    check(tombstone.tenantId === end.tenantId, 'belongs to another organization.');
    check(key && isSigned(text, tombstone.signature, key.publicKey), 'has no valid signature.');
    check(
      heads.some(({ epoch }) => epoch === tombstone.epoch),
      'is signed with a key that signs no head.',
    );
    const head = headAt.get(tombstone.to);
    check(head && rootOf(subtreesOf(tombstone)) === head.root, 'does not end at a signed head with the same root.');
    const [headTime, cutoff, at] = [head.at, tombstone.cutoff, tombstone.at].map((time) => Date.parse(time));
    check(
      headTime < cutoff && cutoff <= at - shortestRetentionMs,
      'covers events that were not older than its cutoff, or not older than a day.',
    );
    const textHash = sha256(text).toString('hex');
    const record = recorded.get(textHash);
    if (record) {
      check(Math.abs(Date.parse(record.at) - at) <= longestTransactionMs, 'has another time than its event.');
      check(
        isSealedByEpoch(heads, record.position, tombstone.epoch),
        'is signed with a key that was no longer in use.',
      );
    } else if (tombstone === newest && recordedUnsealed.has(textHash)) {
      check(heads.at(-1).epoch === tombstone.epoch, 'is signed with a key that was no longer in use.');
      warnings.push(`${name} is recorded by an event that is not sealed yet, so it is not proven. Export again.`);
    } else if (!first) {
      // events after the first finding are not read, and the chain names that finding
      const isRecordRemoved = tombstone !== newest && newestEnd > at - longestTransactionMs;
      check(isRecordRemoved, 'is not recorded by an event of the log: it was signed anew.');
    }
  }
  return warnings;
}

/** The key can be replaced between a removal and the head that seals its event. */
function isSealedByEpoch(heads, position, epoch) {
  const index = heads.findIndex(({ size }) => size > position);
  return index >= 0 && [heads[index], heads[index - 1]].some((head) => head?.epoch === epoch);
}

/** The heads form a chain, and each root is that of the events before it. */
function checkChain(heads, { leaves, first, proven, start, tombstones }) {
  // only filtered exports contain proofs: the event would otherwise not be checked
  if (proven.length) {
    const { name, position, id, line } = proven[0];
    throw new Finding('inserted', `${name} was inserted.`, { position, id, line });
  }
  const frontier = tombstones.length ? subtreesOf(tombstones.at(-1)) : [];
  const length = start + leaves.length;
  let size = start;
  let previous = null;
  for (const head of heads) {
    if (head.previous !== (previous && headHash(previous)))
      throw new Finding(
        'chain',
        `The head at size ${head.size} does not continue the head before it: heads were removed or signed anew.`,
        { size: head.size },
      );
    if (head.size > length) {
      // the events before this head are proven; the finding is the first of the rest
      if (first) throw new Finding(first.problem, first.message, first);
      throw new Finding(
        'cut-off',
        `The export ends before position ${length}, but a signed head counts ${head.size} events: the end was cut off.`,
        { position: length },
      );
    }
    while (size < head.size) appendLeaf(frontier, leaves.at(size - start), size++);
    if (head.size >= start && rootOf(frontier) !== head.root) {
      const from = Math.max(previous?.size ?? 0, start);
      throw new Finding(
        'altered',
        `The events from position ${from} to ${head.size - 1} are not the signed ones: at least one was altered, removed, inserted or moved together with its stored hash.`,
        { position: from, to: head.size - 1 },
      );
    }
    previous = head;
  }
  if (first) throw new Finding(first.problem, first.message, first);
  if (length > size)
    throw new Finding(
      'inserted',
      `The event at position ${size} follows the newest head: it was inserted, or heads were removed.`,
      { position: size },
    );
}

function appendLeaf(frontier, leaf, position) {
  let hash = leaf;
  for (; position % 2 === 1; position = (position - 1) / 2) hash = nodeHash(frontier.pop(), hash);
  frontier.push(hash);
}

const rootOf = (frontier) =>
  (frontier.length ? frontier.reduceRight((right, left) => nodeHash(left, right)) : sha256('')).toString('hex');

/** RFC 9162, section 2.1.3.2. */
function rootFromProof(hash, position, size, proof) {
  let node = position;
  let last = size - 1;
  let root = hash;
  for (const sibling of proof) {
    if (last === 0) return null;
    const other = Buffer.from(sibling, 'hex');
    if (node % 2 === 1 || node === last) {
      root = nodeHash(other, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else root = nodeHash(root, other);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root.toString('hex') : null;
}

const isProven = ({ hash, position, leaf, proof }, { size, root }) =>
  isSize(position) &&
  position < size &&
  leaf === hash.toString('hex') &&
  isListOf(isHash)(proof) &&
  rootFromProof(hash, position, size, proof) === root;

function checkProofs({ proven, leaves, first, tombstones }, head) {
  if (tombstones.length)
    throw new Finding('tombstone', 'A filtered export contains no tombstones.', { line: tombstones[0].line });
  if (leaves.length || first) throw new Finding('altered', 'The export is filtered, but an event has no proof.');
  for (const { name, hash, position, id, line, leaf, proof } of proven)
    if (!head || !isProven({ hash, position, leaf, proof }, head))
      throw new Finding('altered', `${name} was altered, or is not part of the signed log.`, { position, id, line });
}

function checkUnsealed(unsealed, newest) {
  const limit = newest ? Date.parse(newest.at) - longestTransactionMs : -Infinity;
  const old = unsealed.find(({ at }) => !(Date.parse(at) >= limit));
  if (old)
    throw new Finding(
      'inserted',
      `Event ${old.id} is older than the newest head, but is not sealed: it was inserted.`,
      { id: old.id, line: old.line },
    );
}

function checkSince(since, { heads, keys, end }) {
  const isHead =
    since !== null &&
    typeof since === 'object' &&
    Object.entries(lineForms.head).every(([name, is]) => is(since[name]));
  if (!isHead || !isHash(since.publicKey))
    throw new UnreadableInput('The file of --since is no head of the audit log.');
  if (since.tenantId !== end.tenantId)
    throw new UnreadableInput('The head of --since belongs to another organization.');
  if (!isSigned(headText(since), since.signature, since.publicKey))
    throw new UnreadableInput('The head of --since has no valid signature.');
  if (end.size < since.size)
    throw new Finding(
      'cut-off',
      `The trusted head counts ${since.size} events, but the export contains ${end.size}: the event at position ${end.size} and all later ones were cut off.`,
      { position: end.size },
    );
  if (keys.get(since.epoch)?.publicKey !== since.publicKey)
    throw new Finding(
      'forked',
      `The export replaces the key of epoch ${since.epoch}, with which the trusted head is signed.`,
      { size: since.size },
    );
  if (end.isFiltered) return;
  const same = heads.find(({ size }) => size === since.size);
  if (!same || headHash(same) !== headHash(since)) {
    throw new Finding(
      'forked',
      `The export does not contain the trusted head at size ${since.size}: the log was signed anew, so events before position ${since.size} were changed.`,
      { size: since.size },
    );
  }
}

/**
 * Verifies an export. `since`: a head that was stored outside of the product earlier. Returns
 * `{ok, complete, filtered, events, removed, unsealed, head, warnings}`, or `{ok: false, problem, message, position?, id?, line?, size?}`.
 */
export async function verifyExport(file, since) {
  try {
    const found = await readExport(file);
    const { leaves, heads, keys, proven, unsealed, end } = found;
    const warnings = checkKeys(keys);
    for (const head of heads) checkHead(head, keys, end.tenantId);
    if (since) checkSince(since, found);
    const newest = heads.at(-1) ?? null;
    let isComplete = false;
    if (end.isFiltered) checkProofs(found, newest);
    else {
      const unproven = checkTombstones(found);
      warnings.push(...unproven);
      isComplete = !unproven.length;
      checkChain(heads, found);
    }
    if ((newest?.size ?? 0) !== end.size)
      throw new Finding(
        'cut-off',
        `The newest head counts ${newest?.size ?? 0} events, but the export ${end.size}: heads were cut off.`,
        { position: newest?.size ?? 0 },
      );
    checkUnsealed(unsealed, newest);
    if (end.isFiltered && since)
      warnings.push('A filtered export cannot show that the log continues the trusted head.');
    const events = end.isFiltered ? proven.length : leaves.length;
    return {
      ok: true,
      complete: isComplete,
      filtered: end.isFiltered,
      events,
      removed: found.start,
      unsealed: unsealed.length,
      head: newest,
      warnings,
    };
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    const { leaf: _, next: __, ...report } = error.report;
    return { ok: false, ...report, id: await findId(file, report) };
  }
}

/** The id of the event at the position of a finding. */
async function findId(file, { position, id }) {
  if (id || position === undefined) return id;
  for await (const text of readLines(file)) {
    if (!text) continue;
    const line = JSON.parse(text);
    if (line.tombstone) continue;
    if (line.position === position) return line.id;
    if (line.position === undefined) return undefined;
  }
}
