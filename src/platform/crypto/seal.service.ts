import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Problem, defineProblem, type ProblemKind } from '../errors/problem.js';
import { sha256 } from './digest.js';

/** The place of a sealed value. It cannot be opened in any other place. */
export interface SealContext {
  table: string;
  column: string;
  row: string;
}

const masterKeyMismatch: ProblemKind = {
  code: 'master-key-mismatch',
  status: 409,
  title: 'Master key does not match',
  explain:
    'A stored secret is encrypted with another master key. If you replaced the key, add the former key after the new one in MASTER_KEYS. ' +
    'If the former key is lost, run "countersign-operator admin forget-credentials", enter the credentials of the connections again, and create new A2A keys where you need to show them.',
};
defineProblem(masterKeyMismatch);

export class MasterKeyMismatch extends Problem {
  constructor({ table, column }: SealContext) {
    super(masterKeyMismatch, `No master key opens ${table}.${column}. ${masterKeyMismatch.explain}`);
  }
}

export const MASTER_KEYS = Symbol('MASTER_KEYS');
const headerBytes = 1 + 4 + 12;

/**
 * AES-256-GCM with the context as associated data. Layout: version (1), key id (4), nonce (12), tag (16), ciphertext.
 */
@Injectable()
export class SealService {
  private readonly keys: { id: Buffer; key: KeyObject }[];

  /** The first key encrypts; all keys decrypt. */
  constructor(@Inject(MASTER_KEYS) masterKeys: Buffer[]) {
    this.keys = masterKeys.map((key) => ({ key: createSecretKey(key), id: sha256(key).subarray(0, 4) }));
  }

  seal(plain: string | Uint8Array, context: SealContext): Buffer {
    const { id, key } = this.keys[0];
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(sealAssociatedData(context));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(1), id, nonce, cipher.getAuthTag(), body]);
  }

  open(sealed: Buffer, context: SealContext): Buffer {
    const id = sealed.subarray(1, 5);
    const known = this.keys.find((candidate) => candidate.id.equals(id));
    if (sealed[0] !== 1 || !known) throw new MasterKeyMismatch(context);
    const decipher = createDecipheriv('aes-256-gcm', known.key, sealed.subarray(5, headerBytes))
      .setAAD(sealAssociatedData(context))
      .setAuthTag(sealed.subarray(headerBytes, headerBytes + 16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(headerBytes + 16)), decipher.final()]);
    } catch {
      throw new MasterKeyMismatch(context);
    }
  }

  /**
   * Derives a key for one purpose (signing links, fingerprints). It is the same in every process with this master key.
   */
  derive(purpose: string): Buffer {
    return this.deriveFromEach(purpose)[0];
  }

  /** The same from every master key: the current one first, then the former ones. */
  deriveFromEach(purpose: string): Buffer[] {
    return this.keys.map(({ key }) => createHmac('sha256', key).update(purpose).digest());
  }
}

const sealAssociatedData = ({ table, column, row }: SealContext) => Buffer.from(`${table}\0${column}\0${row}`);
