import { randomBytes } from 'node:crypto';
import type { ToolResult } from '../connections/tools.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { SealService } from '../platform/crypto/seal.service.js';
import type { CallVersion } from './call-version.entity.js';
import type { ToolCall } from './tool-call.entity.js';

type SealedCallKey = Pick<ToolCall, 'id'>;
const saltBytes = 16;
const associatedData = (column: string, { id }: SealedCallKey) => ({ table: 'tool_calls', column, row: id });

/** Seals the salt together with the arguments: without them, the hash in the audit log reveals nothing. */
export function sealArguments(
  seal: SealService,
  call: SealedCallKey,
  canonical: string,
): { sealed: Buffer; saltedHash: string } {
  const salted = Buffer.concat([randomBytes(saltBytes), Buffer.from(canonical)]);
  return {
    sealed: seal.seal(salted, associatedData('arguments_sealed', call)),
    saltedHash: sha256(salted).toString('hex'),
  };
}

export function openArguments(
  seal: SealService,
  call: Pick<ToolCall, 'id' | 'argumentsSealed' | 'argumentsHash'>,
): { canonical: string; saltedHash: string } {
  if (!call.argumentsSealed || !call.argumentsHash) throw new Error(`Call ${call.id} has no arguments`);
  const salted = seal.open(call.argumentsSealed, associatedData('arguments_sealed', call));
  return { canonical: toCanonical(salted, call.argumentsHash), saltedHash: sha256(salted).toString('hex') };
}

/** A replaced version is sealed for its own place, so that it cannot be put back into the row of the call. */
const versionData = ({ callId, version }: Pick<CallVersion, 'callId' | 'version'>) => ({
  table: 'call_versions',
  column: 'arguments_sealed',
  row: `${callId}/${version}`,
});

/** The current arguments of a call with their salt, sealed as its version of this number. */
export function sealAsVersion(seal: SealService, call: ToolCall, version: number): Buffer {
  const salted = seal.open(call.argumentsSealed!, associatedData('arguments_sealed', call));
  return seal.seal(salted, versionData({ callId: call.id, version }));
}

export const openVersion = (seal: SealService, version: CallVersion): string =>
  toCanonical(seal.open(version.argumentsSealed, versionData(version)), version.argumentsHash);

/** The approval refers to this hash; other bytes are a different call. */
function toCanonical(salted: Buffer, hash: Buffer): string {
  const bytes = salted.subarray(saltBytes);
  if (!sha256(bytes).equals(hash)) throw new Error('stored arguments do not match their hash');
  return bytes.toString();
}

export const sealResult = (seal: SealService, call: SealedCallKey, result: ToolResult): Buffer =>
  seal.seal(JSON.stringify(result), associatedData('result_sealed', call));

export const openResult = (seal: SealService, call: Pick<ToolCall, 'id' | 'resultSealed'>): ToolResult | null =>
  call.resultSealed &&
  (JSON.parse(seal.open(call.resultSealed, associatedData('result_sealed', call)).toString()) as ToolResult);
