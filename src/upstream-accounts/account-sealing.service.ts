import { Injectable } from '@nestjs/common';
import { SealService } from '../platform/crypto/seal.service.js';
import type { AuthorizationClient, TokenSet } from './authorization.js';
import type { UpstreamOAuthClient } from './registration.js';

/** The tokens of an account, with the client and server that they belong to. */
export interface AccountCredentials {
  standing: AuthorizationClient;
  tokens: Pick<TokenSet, 'access' | 'refresh' | 'scope'>;
}

/** What is needed when a person returns from an authorization server. */
export interface PendingAuthorization {
  address: string;
  standing: AuthorizationClient;
  verifier: string;
}

/** Seals the stored data of accounts, each for its own row. */
@Injectable()
export class AccountSealingService {
  readonly accounts = this.sealerOf<AccountCredentials>('connection_accounts');
  readonly authorizations = this.sealerOf<PendingAuthorization>('connection_authorizations');
  readonly clients = this.sealerOf<UpstreamOAuthClient>('connection_clients');

  constructor(private readonly seal: SealService) {}

  private sealerOf<T>(table: string) {
    const place = (row: string) => ({ table, column: 'sealed', row });
    return {
      seal: (value: T, row: string): Buffer => this.seal.seal(JSON.stringify(value), place(row)),
      open: (sealed: Buffer, row: string): T => JSON.parse(this.seal.open(sealed, place(row)).toString()) as T,
    };
  }
}
