import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { type Page, nestedPageColumns, type NestedPage, toNestedPages } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { listConnectedAccounts } from './accounts.sql.js';
import type { ConnectedAccount } from './connected-account.js';

export interface ConnectedAccountsPageArgs extends NestedPage {
  afterName: string | null;
}

/** The accounts that people use with a connection, for administrators. */
@Injectable()
export class ConnectedAccountsService {
  constructor(private readonly database: DatabaseService) {}

  /** One page for each connection, in the order of `pages`. */
  pagesOf(principal: Principal, pages: readonly ConnectedAccountsPageArgs[]): Promise<Page<ConnectedAccount>[]> {
    return this.database.tenant(principal, async (tx) => {
      const afterNames = pages.map(({ afterName }) => afterName);
      const rows = await tx.run(listConnectedAccounts, [principal.tenantId, ...nestedPageColumns(pages), afterNames]);
      return toNestedPages(pages, rows, ({ name, id }) => [name, id]);
    });
  }
}
