import { generateKeyPairSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'oidc-provider';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import {
  addSigningKey,
  dropOtherSigningKeys,
  dropRetiredSigningKeys,
  lockSigningKeys,
  publishedSigningKeys,
  retireSigningKeys,
} from './signing-keys.system.sql.js';

export type SigningKey = JWK & { kid: string };

const refreshMs = 60_000;
/** How long a key is published before it signs. */
export const publishedSeconds = 10 * 60;

/**
 * Our tokens are opaque, so these keys sign nothing yet. Clients that read `jwks_uri` find a key, and operators can
 * rotate it.
 */
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
   * Returns the signing key first. Creates a key if there is none. The cached keys are refreshed every minute in the
   * background, because a request that holds a connection must not wait for another one.
   */
  current(): Promise<SigningKey[]> {
    if (this.cached && Date.now() - this.readAt >= refreshMs) {
      this.readAt = Date.now();
      this.loadOrCreate().then(
        (keys) => (this.cached = Promise.resolve(keys)),
        (error: unknown) => this.log.warn({ err: error }, 'signing keys could not be refreshed; retrying in a minute'),
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
   * Publishes a new key at once. It signs after every process and every client with a cached key set has had time to
   * read it. The previous keys are deleted a day later. Returns the id of the key.
   */
  rotate(): Promise<string> {
    return this.replace(async (tx, kid) => {
      await tx.execute(retireSigningKeys, [kid, publishedSeconds]);
      await tx.execute(dropRetiredSigningKeys);
    });
  }

  /** For a leaked key: a new key signs at once, and signatures of all other keys are no longer valid. */
  replaceAll(): Promise<string> {
    return this.replace((tx, kid) => tx.execute(dropOtherSigningKeys, [kid]));
  }

  private async replace(retire: (tx: Tx, kid: string) => Promise<unknown>): Promise<string> {
    const kid = await this.database.system('replace the signing key', async (tx) => {
      await tx.execute(lockSigningKeys);
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
      await tx.execute(lockSigningKeys);
      if (!(await this.published(tx)).length) await this.create(tx);
      return this.published(tx);
    });
  }

  private async published(tx: Tx): Promise<SigningKey[]> {
    const rows = await tx.run(publishedSigningKeys);
    return rows.map(
      ({ kid, sealed }) => JSON.parse(this.seal.open(sealed, signingKeySealContext(kid)).toString()) as SigningKey,
    );
  }

  private async create(tx: Tx): Promise<string> {
    const kid = newId();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
    await tx.execute(addSigningKey, [kid, this.seal.seal(JSON.stringify(key), signingKeySealContext(kid))]);
    return kid;
  }
}

const signingKeySealContext = (row: string) => ({ table: 'oauth_signing_keys', column: 'sealed', row });
