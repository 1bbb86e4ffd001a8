import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.service.js';
import { decodeCursor, page, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { connectedAccounts } from './accounts.sql.js';
import type { ConnectedAccount } from './connected-account.js';

/** Whose accounts a connection is used with, for administrators. */
@Injectable()
export class ConnectedAccounts {
  constructor(private readonly database: Database) {}

  of(principal: Principal, connectionId: string, { first, after }: PageArgs): Promise<Page<ConnectedAccount>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, connectionId, name, id, first + 1];
      const rows = await tx.query<(ConnectedAccount & { total: number })[]>(connectedAccounts, values);
      return page(rows, first, rows[0]?.total ?? 0, (account) => [account.name, account.id]);
    });
  }
}
