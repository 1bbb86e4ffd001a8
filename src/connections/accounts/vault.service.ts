import { Injectable } from '@nestjs/common';
import { Seal } from '../../platform/crypto/seal.service.js';
import type { Standing, Tokens } from './authorization.js';
import type { UpstreamClient } from './registration.js';

/** What an account is: the tokens, and the client and server that they belong to. */
export interface Account {
  standing: Standing;
  tokens: Pick<Tokens, 'access' | 'refresh' | 'scope'>;
}

/** What has to be known again when a person comes back from an authorization server. */
export interface Departure {
  address: string;
  standing: Standing;
  verifier: string;
}

/** Seals what is kept of accounts, each for its own row. */
@Injectable()
export class Vault {
  readonly accounts = this.of<Account>('connection_accounts');
  readonly departures = this.of<Departure>('connection_authorizations');
  readonly clients = this.of<UpstreamClient>('connection_clients');

  constructor(private readonly seal: Seal) {}

  private of<T>(table: string) {
    const place = (row: string) => ({ table, column: 'sealed', row });
    return {
      seal: (value: T, row: string): Buffer => this.seal.seal(JSON.stringify(value), place(row)),
      open: (sealed: Buffer, row: string): T => JSON.parse(this.seal.open(sealed, place(row)).toString()) as T,
    };
  }
}
