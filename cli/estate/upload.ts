import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { redactedForm } from '../../src/estate/parsing/redacted-form.js';
import { countMarks } from '../../src/estate/redaction/marks.js';
import { maxFileBytes } from '../../src/estate/parsing/parse.js';
import { knownFile, maxPathLength } from '../../src/estate/parsing/known-files.js';
import { serverAddress } from '../client/server-address.js';
import { ServerClient } from '../client/server-client.js';
import { fetchServerVersion } from '../client/server-version.js';
import { CommandError } from '../command-error.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import type { DeviceIdentity } from './device-identity.js';
import type { ScannedFile, SecretNumbers } from './scanned-estate.js';

/** The limits of the server for one request, with room for the rest of the body. */
const maxBatchFiles = 500;
const maxBatchBytes = 700 * 1024;
/** The largest size that the server accepts. The content of such a file is not sent. */
const maxSentSize = 2 ** 31 - 1;

interface UploadFile {
  path: string;
  /** The usual path of a file that its client stores elsewhere. The server identifies the client by it. */
  location?: string;
  scope?: string;
  size: number;
  modifiedAt?: string;
  isRedacted: true;
  /** Absent if the form would be larger than the server accepts. */
  content?: string;
}

/** A file as it would be sent, and the number of values that were replaced in it. */
export interface PreparedFile {
  displayPath: string;
  file: UploadFile;
  sentBytes: number;
  replacedValues: number;
}

export interface UploadSummary {
  device: string;
  added: number;
  changed: number;
  unchanged: number;
  gone: number;
  isStale: boolean;
  skipped: { path: string; reason: string }[];
}

type UploadAnswer = Omit<UploadSummary, 'device' | 'skipped'> & { skipped: { index: number; reason: string }[] };

const counts = ['added', 'changed', 'unchanged', 'gone'] as const;

export interface UploadOptions {
  owner?: string;
  device?: string;
  complete?: boolean;
}

/** The files without their secrets. Only what this returns is sent. */
export function prepareUpload(
  files: readonly ScannedFile[],
  secrets: SecretNumbers,
  identity: DeviceIdentity,
): PreparedFile[] {
  const values = secrets.values;
  return files.map(({ path, displayPath, known, location, parsed, size, modifiedAt }) => {
    const form = redactedForm(parsed, known, (number) => identity.fingerprint(values[Number(number) - 1]));
    const content = Buffer.byteLength(form) <= maxFileBytes ? form : undefined;
    const file: UploadFile = {
      path,
      location,
      ...(knownFile(location ?? path)?.scope !== known.scope && { scope: known.scope }),
      size: Math.min(size, maxSentSize),
      ...(modifiedAt && isCommonEra(modifiedAt) && { modifiedAt: modifiedAt.toISOString() }),
      isRedacted: true,
      content,
    };
    return {
      displayPath,
      file,
      sentBytes: content === undefined ? 0 : Buffer.byteLength(content),
      replacedValues: parsed.entries.reduce((sum, { definition }) => sum + countMarks(JSON.stringify(definition)), 0),
    };
  });
}

/** File systems can store times that have no usual notation, or are not even a date. */
const isCommonEra = (time: Date): boolean => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;

/** Sends files in requests that the server accepts. */
export async function sendUpload(
  baseUrl: string,
  prepared: readonly PreparedFile[],
  identity: DeviceIdentity,
  { owner, device = os.hostname(), complete }: UploadOptions,
): Promise<UploadSummary> {
  const client = new ServerClient({ baseUrl, token: await tenantKey() });
  await fetchServerVersion(baseUrl); // so that no other program receives the key
  const isLong = ({ file }: PreparedFile) => file.path.length > maxPathLength;
  const batches = batchesOf(prepared.filter((one) => !isLong(one)));
  if (complete && batches.length > 1)
    throw new CommandError(
      exitCodes.usage,
      'too-many-files',
      `--complete needs one request, and these files need ${batches.length}. Scan fewer folders, or leave out --complete.`,
    );
  const collectedAt = new Date().toISOString();
  const sum: UploadSummary = { device, added: 0, changed: 0, unchanged: 0, gone: 0, isStale: false, skipped: [] };
  for (const { file } of prepared.filter(isLong))
    sum.skipped.push({ path: file.path, reason: `has a path of more than ${maxPathLength} characters` });
  for (const batch of batches) {
    const body = {
      device,
      platform: os.type(),
      owner,
      collectedAt,
      isComplete: complete ?? false,
      files: batch.map(({ file }) => file),
    };
    const headers = { 'countersign-device-secret': identity.secret };
    const answer = await client
      .postJson<UploadAnswer>('/ingest/estate', body, headers)
      .catch((error: Error) => Promise.reject(withKeyAdvice(error)));
    requireAnswer(answer, baseUrl);
    for (const count of counts) sum[count] += answer[count];
    sum.isStale ||= answer.isStale;
    sum.skipped.push(...answer.skipped.map(({ index, reason }) => ({ path: batch[index]?.file.path ?? '', reason })));
  }
  return sum;
}

/** Another program at this address may answer anything. */
function requireAnswer(answer: UploadAnswer | null, baseUrl: string): void {
  const isAnswer = counts.every((count) => Number.isInteger(answer?.[count])) && Array.isArray(answer?.skipped);
  if (!isAnswer)
    throw new CommandError(
      exitCodes.unavailable,
      'unexpected-response',
      `${baseUrl} did not confirm the upload. It is not a Countersign server, or it is older than the command line.`,
    );
}

/** The client explains a refusal for people who are signed in. */
function withKeyAdvice(error: Error): Error {
  if (!(error instanceof CommandError) || error.code !== 'unauthenticated') return error;
  const message = 'The server refused the key. Set COUNTERSIGN_KEY to an active tenant key of the scope "estate".';
  return new CommandError(exitCodes.unauthenticated, error.code, message);
}

function batchesOf(prepared: readonly PreparedFile[]): PreparedFile[][] {
  const batches: PreparedFile[][] = [[]];
  let bytes = 0;
  for (const one of prepared) {
    const size = Buffer.byteLength(JSON.stringify(one.file));
    if (batches.at(-1)!.length && (batches.at(-1)!.length === maxBatchFiles || bytes + size > maxBatchBytes)) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(one);
    bytes += size;
  }
  return batches;
}

/** The address for uploads. Not that of the last login, because the key belongs to one server. */
export function uploadAddress(server: string | undefined): string {
  if (!server)
    throw new CommandError(
      exitCodes.usage,
      'no-server',
      'Set the address of the server with --server or COUNTERSIGN_URL.',
    );
  return serverAddress(server);
}

async function tenantKey(): Promise<string> {
  const file = environment.tenantKeyFile();
  const key =
    environment.tenantKey() ??
    (file &&
      (await readFile(file, 'utf8').catch((error: Error) => {
        throw new CommandError(exitCodes.usage, 'no-key', `"${file}" cannot be read: ${error.message}.`);
      })));
  if (key?.trim()) return requireHeaderText(key.trim());
  throw new CommandError(
    exitCodes.usage,
    'no-key',
    'Set COUNTERSIGN_KEY, or COUNTERSIGN_KEY_FILE, to a tenant key of the scope "estate".',
  );
}

/** The error of the HTTP client would print the key. */
function requireHeaderText(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CommandError(exitCodes.usage, 'no-key', 'The tenant key must be one line without spaces.');
}
