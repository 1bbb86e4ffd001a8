import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import {
  decodeCursor,
  toPage,
  type Page,
  type PageArgs,
  nestedPageColumns,
  type NestedPage,
  toNestedPages,
} from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import {
  deleteCodes,
  deleteGrants,
  revokeConsents,
  liveGrants,
  liveGrantsByPage,
  liveGrantsOfClients,
  type GrantSelection,
  type LiveGrant,
  type NamedGrant,
  type RevokedGrant,
} from './grants.sql.js';

export type { NamedGrant } from './grants.sql.js';

/** Matches the organization's grants that fulfill every given condition. */
export interface GrantFilter {
  grantId?: string;
  memberId?: string;
  clientId?: string;
}

/** Lists and ends grants. The tokens of an ended grant fail on the next request. */
@Injectable()
export class GrantsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.memberRemovalHookRegistry.register(
      async (tx, principal, memberId) => void (await this.revoke(tx, principal, { memberId })),
    );
  }

  /** Newest first. */
  list(principal: Principal, filter: GrantFilter = {}): Promise<LiveGrant[]> {
    return this.database.tenant(principal, (tx) => tx.run(liveGrants, selectionOf(principal, filter)));
  }

  async listPage(principal: Principal, filter: GrantFilter, { first, after }: PageArgs): Promise<Page<NamedGrant>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(liveGrantsByPage, [...selectionOf(principal, filter), last, first + 1]),
    );
    return toPage(rows, first, rows[0]?.total ?? 0, ({ id }) => [id]);
  }

  /** A page of grants for each client, in the order of the clients. */
  async pagesOfClients(principal: Principal, pages: readonly NestedPage[]): Promise<Page<NamedGrant>[]> {
    const columns = nestedPageColumns(pages);
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(liveGrantsOfClients, [principal.tenantId, null, null, columns[0], ...columns]),
    );
    return toNestedPages(pages, rows, ({ id }) => [id]);
  }

  /**
   * Returns the ended grants. Revoking all grants of a member or a client also revokes the remembered consent, so the
   * next authorization asks again. The caller checks the permission.
   */
  async revoke(tx: Tx, principal: Principal, filter: GrantFilter): Promise<RevokedGrant[]> {
    const { grantId, memberId, clientId } = filter;
    if (!grantId && !memberId && !clientId) throw new Error('no grant is named');
    if (!grantId) await tx.execute(revokeConsents, [principal.tenantId, memberId ?? null, clientId ?? null]);
    return tx.run(deleteGrants, selectionOf(principal, filter));
  }

  /** Deletes unused codes: they may have been sent to a redirect URI that is no longer registered. */
  async revokeCodes(tx: Tx, { tenantId }: Principal, clientId: string): Promise<void> {
    await tx.execute(deleteCodes, [tenantId, clientId]);
  }
}

const selectionOf = ({ tenantId }: Principal, { grantId, memberId, clientId }: GrantFilter): GrantSelection => [
  tenantId,
  grantId ?? null,
  memberId ?? null,
  clientId ? [clientId] : null,
];
