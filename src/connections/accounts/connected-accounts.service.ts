import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import { type Page, nestedPageColumns, type NestedPage, toNestedPages } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { listConnectedAccounts } from './accounts.sql.js';
import type { ConnectedAccount } from './connected-account.js';

export interface ConnectedAccountsPageArgs extends NestedPage {
  afterName: string | null;
}

/** Whose accounts a connection is used with, for administrators. */
@Injectable()
export class ConnectedAccountsService {
  constructor(private readonly database: DatabaseService) {}

  /** A page of each connection, in their order. */
  pagesOf(principal: Principal, pages: readonly ConnectedAccountsPageArgs[]): Promise<Page<ConnectedAccount>[]> {
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, ...nestedPageColumns(pages), pages.map(({ afterName }) => afterName)];
      const rows = await tx.query<(ConnectedAccount & { nth: number; total: number })[]>(listConnectedAccounts, values);
      return toNestedPages(pages, rows, ({ name, id }) => [name, id]);
    });
  }
}
