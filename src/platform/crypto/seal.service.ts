import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Problem, problem, type ProblemKind } from '../errors/problem.js';
import { sha256 } from './digest.js';

/** Where a sealed value stands; it opens nowhere else. */
export interface Place {
  table: string;
  column: string;
  row: string;
}

const mismatch: ProblemKind = {
  code: 'master-key-mismatch',
  status: 409,
  title: 'No master key opens this',
  explain:
    'A sealed value was sealed under another master key. If the key was replaced, put the former one behind the new one in MASTER_KEYS. ' +
    'If it is lost, run "countersign admin forget-credentials" and enter the credentials of the connections again; make new A2A keys where they have to be shown.',
};
problem(mismatch);

export class MasterKeyMismatch extends Problem {
  constructor({ table, column }: Place) {
    super(mismatch, `No master key opens ${table}.${column}. ${mismatch.explain}`);
  }
}

export const MASTER_KEYS = Symbol('MASTER_KEYS');
const header = 1 + 4 + 12;

/** AES-256-GCM with the place as associated data. Layout: version, key id (4), nonce (12), tag (16), ciphertext. */
@Injectable()
export class Seal {
  private readonly keys: { id: Buffer; key: KeyObject }[];

  /** The first key seals, all open. */
  constructor(@Inject(MASTER_KEYS) masterKeys: Buffer[]) {
    this.keys = masterKeys.map((key) => ({ key: createSecretKey(key), id: sha256(key).subarray(0, 4) }));
  }

  seal(plain: string | Uint8Array, place: Place): Buffer {
    const { id, key } = this.keys[0];
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(address(place));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(1), id, nonce, cipher.getAuthTag(), body]);
  }

  open(sealed: Buffer, place: Place): Buffer {
    const id = sealed.subarray(1, 5);
    const known = this.keys.find((candidate) => candidate.id.equals(id));
    if (sealed[0] !== 1 || !known) throw new MasterKeyMismatch(place);
    const decipher = createDecipheriv('aes-256-gcm', known.key, sealed.subarray(5, header))
      .setAAD(address(place))
      .setAuthTag(sealed.subarray(header, header + 16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(header + 16)), decipher.final()]);
    } catch {
      throw new MasterKeyMismatch(place);
    }
  }

  /** A key for one purpose (signing links, fingerprints), the same on every process with these master keys. */
  derive(purpose: string): Buffer {
    return createHmac('sha256', this.keys[0].key).update(purpose).digest();
  }
}

const address = ({ table, column, row }: Place) => Buffer.from(`${table}\0${column}\0${row}`);
