import { Injectable } from '@nestjs/common';
import type { FetchLike } from '@modelcontextprotocol/client';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Connection } from '../connections/connection.entity.js';
import { AccountNeeded, NotSent } from '../connections/connections.error.js';
import { type AccountKey, AccountTokensService } from './account-tokens.service.js';
import { type AccountRow, findAccount, findListingAccount } from './accounts.sql.js';
import { type Bearer, withBearer } from './bearer-fetch.js';
import { connectPath } from './paths.js';

/** An account that authorizes requests. */
export interface AuthorizedAccount {
  id: string;
  /** Sends requests with the account's token as their only credential. */
  wrapFetch(reach: FetchLike): FetchLike;
}

/** Finds the account that a request may use: the person's own, or none. */
@Injectable()
export class PersonalAccountsService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly tokens: AccountTokensService,
  ) {}

  /** For requests on behalf of a person. Never falls back to another person's account. */
  async forMember(connection: Connection, memberId: string | undefined): Promise<AuthorizedAccount> {
    if (memberId === undefined)
      throw new NotSent(
        `“${connection.name}” uses personal accounts, and this request is not made for a person: agents and background work cannot use it.`,
      );
    return this.open(
      connection,
      (tx) => tx.one(findAccount, [connection.tenantId, connection.id, memberId]),
      'it requires your own account',
    );
  }

  /** For listing tools: the account of the administrator who connected theirs first. Executes nothing. */
  forListing(connection: Connection): Promise<AuthorizedAccount> {
    return this.open(
      connection,
      (tx) => tx.one(findListingAccount, [connection.tenantId, connection.id]),
      'its tools are listed with an administrator’s account, and no administrator has connected one',
    );
  }

  private async open(
    connection: Connection,
    find: (tx: Tx) => Promise<AccountRow | null>,
    missing: string,
  ): Promise<AuthorizedAccount> {
    const { tenantId, id, name } = connection;
    const row = await this.database.tenant(connection, find);
    const url = `${this.config.baseUrl}${connectPath(id)}`;
    const needed = (reason: string) =>
      new AccountNeeded(`“${name}”: ${reason}. Connect your account at ${url} and try again.`, url);
    if (!row) throw needed(missing);
    // tokens for one address are never sent to another, not even on the same host
    if (row.address !== connection.settings.url) throw needed('the address of the server was changed');
    const key: AccountKey = { tenantId, id: row.id, connection: { id, name }, accountNeeded: needed };
    return { id: row.id, wrapFetch: (reach) => withBearer(reach, this.bearer(key)) };
  }

  private bearer(key: AccountKey): Bearer {
    return {
      current: () => this.tokens.current(key),
      renew: (used) => this.tokens.renew(key, used),
      refusedError: () => key.accountNeeded('the server no longer accepts your account’s access'),
      insufficientScopeError: async (scope) => {
        if (scope) await this.tokens.recordWantedScope(key, scope);
        return key.accountNeeded(`the server requires more access than you granted${scope ? ` (${scope})` : ''}`);
      },
    };
  }
}
