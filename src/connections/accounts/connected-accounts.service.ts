import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.service.js';
import { type Page, pageColumns, type PageOfRow, pagesOfRows } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { connectedAccounts } from './accounts.sql.js';
import type { ConnectedAccount } from './connected-account.js';

export interface PageOfAccounts extends PageOfRow {
  afterName: string | null;
}

/** Whose accounts a connection is used with, for administrators. */
@Injectable()
export class ConnectedAccounts {
  constructor(private readonly database: Database) {}

  /** A page of each connection, in their order. */
  pagesOf(principal: Principal, pages: readonly PageOfAccounts[]): Promise<Page<ConnectedAccount>[]> {
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, ...pageColumns(pages), pages.map(({ afterName }) => afterName)];
      const rows = await tx.query<(ConnectedAccount & { nth: number; total: number })[]>(connectedAccounts, values);
      return pagesOfRows(pages, rows, ({ name, id }) => [name, id]);
    });
  }
}
