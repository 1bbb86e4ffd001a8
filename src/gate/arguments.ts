import { sha256 } from '../platform/crypto/digest.js';
import type { InvalidField } from '../platform/errors/problem.js';
import { canonicalJson, type JsonObject, parseStrict, StrictJsonError } from '../platform/json/strict-json.js';

/** Parsed once: policies, approvers and the connected system get exactly this value and these bytes. */
export interface Arguments {
  value: JsonObject;
  canonical: string;
  hash: Buffer;
}

export class ArgumentsRefused extends Error {
  constructor(readonly faults: InvalidField[]) {
    super(faults.map(({ pointer, detail }) => (pointer ? `${pointer}: ${detail}` : detail)).join('; '));
  }
}

const maxDepth = 32;

/** Never coerces, repairs or fills in defaults. */
export function readArguments(text: string): Arguments {
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ArgumentsRefused([{ pointer: '', detail: 'must be a JSON object' }]);
  const bytes = canonicalJson(value);
  return { value, canonical: bytes, hash: sha256(bytes) };
}

function parse(text: string) {
  try {
    return parseStrict(text, { maxDepth });
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new ArgumentsRefused([{ pointer: error.pointer, detail: error.reason }]);
    throw error;
  }
}
