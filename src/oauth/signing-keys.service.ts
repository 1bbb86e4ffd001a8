import { generateKeyPairSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'oidc-provider';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import {
  addSigningKey,
  dropOtherSigningKeys,
  dropRetiredSigningKeys,
  lockSigningKeys,
  publishedSigningKeys,
  retireSigningKeys,
} from './signing-keys.system.sql.js';

interface KeyRow {
  kid: string;
  sealed: Buffer;
}
export type SigningKey = JWK & { kid: string };

const refreshMs = 60_000;
/** For how long a key is published before it signs. */
export const publishedSeconds = 10 * 60;

/** Our tokens are opaque, so these sign nothing yet; clients that read `jwks_uri` find a key, and the operator can change it. */
@Injectable()
export class SigningKeysService {
  private cached?: Promise<SigningKey[]>;
  private readAt = 0;

  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly log: LogService,
  ) {}

  /**
   * The one that signs first. Made when there is none. Once known they are read again every minute, beside the requests:
   * one that holds a connection already must not wait for another.
   */
  current(): Promise<SigningKey[]> {
    if (this.cached && Date.now() - this.readAt >= refreshMs) {
      this.readAt = Date.now();
      this.loadOrCreate().then(
        (keys) => (this.cached = Promise.resolve(keys)),
        (error: unknown) =>
          this.log.warn({ err: error }, 'the signing keys could not be read; they are again in a minute'),
      );
    }
    return (this.cached ??= this.loadFirst());
  }

  private async loadFirst(): Promise<SigningKey[]> {
    this.readAt = Date.now();
    try {
      return await this.loadOrCreate();
    } catch (error) {
      this.cached = undefined;
      throw error;
    }
  }

  /**
   * A new key, published at once. It signs when every process has read it and whoever keeps a copy of the published ones has
   * had time to; those before it go a day after that. Returns its id.
   */
  rotate(): Promise<string> {
    return this.replace(async (tx, kid) => {
      await tx.query(retireSigningKeys, [kid, publishedSeconds]);
      await tx.query(dropRetiredSigningKeys);
    });
  }

  /** When a key has leaked: a new one signs at once, and what others have signed is believed no longer. */
  replaceAll(): Promise<string> {
    return this.replace((tx, kid) => tx.query(dropOtherSigningKeys, [kid]));
  }

  private async replace(retire: (tx: EntityManager, kid: string) => Promise<unknown>): Promise<string> {
    const kid = await this.database.system('replace the signing key', async (tx) => {
      await tx.query(lockSigningKeys);
      const made = await this.create(tx);
      await retire(tx, made);
      return made;
    });
    this.cached = undefined;
    return kid;
  }

  private loadOrCreate(): Promise<SigningKey[]> {
    return this.database.system('read the signing keys', async (tx) => {
      const known = await this.published(tx);
      if (known.length) return known;
      await tx.query(lockSigningKeys);
      if (!(await this.published(tx)).length) await this.create(tx);
      return this.published(tx);
    });
  }

  private async published(tx: EntityManager): Promise<SigningKey[]> {
    const rows = await tx.query<KeyRow[]>(publishedSigningKeys);
    return rows.map(
      ({ kid, sealed }) => JSON.parse(this.seal.open(sealed, signingKeySealContext(kid)).toString()) as SigningKey,
    );
  }

  private async create(tx: EntityManager): Promise<string> {
    const kid = newId();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
    await tx.query(addSigningKey, [kid, this.seal.seal(JSON.stringify(key), signingKeySealContext(kid))]);
    return kid;
  }
}

const signingKeySealContext = (row: string) => ({ table: 'oauth_signing_keys', column: 'sealed', row });
