import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
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
} from './grants.sql.js';

/** One authorization that a member gave a client, as long as a token of it could be used. */
export interface LiveGrant {
  id: string;
  memberId: string;
  clientId: string;
  scopes: string[];
  grantedAt: Date;
  /** When a token of it was last issued. */
  usedAt: Date;
  /** When its last token ends, if it is not renewed. */
  expiresAt: Date;
}

export type RevokedGrant = Pick<LiveGrant, 'id' | 'memberId' | 'clientId'>;

/** With whose it is, for lists of many people's. */
export interface NamedGrant extends LiveGrant {
  memberName: string;
  memberEmail: string;
}

/** Which grants: all of the organization's that fit every part that is named. */
export interface GrantFilter {
  grantId?: string;
  memberId?: string;
  clientId?: string;
}

/** What lives between a member and a client. To end a grant ends its tokens on the very next request. */
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
    return this.database.tenant(principal, (tx) => tx.query<LiveGrant[]>(liveGrants, values(principal, filter)));
  }

  async listPage(principal: Principal, filter: GrantFilter, { first, after }: PageArgs): Promise<Page<NamedGrant>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    const rows = await this.database.tenant(principal, (tx) =>
      tx.query<(NamedGrant & { total: number })[]>(liveGrantsByPage, [...values(principal, filter), last, first + 1]),
    );
    return toPage(rows, first, rows[0]?.total ?? 0, ({ id }) => [id]);
  }

  /** Of clients: a page for each, in their order. */
  async pagesOfClients(principal: Principal, pages: readonly NestedPage[]): Promise<Page<NamedGrant>[]> {
    const columns = nestedPageColumns(pages);
    const asked = [principal.tenantId, null, null, columns[0], ...columns];
    const rows = await this.database.tenant(principal, (tx) =>
      tx.query<(NamedGrant & { nth: number; total: number })[]>(liveGrantsOfClients, asked),
    );
    return toNestedPages(pages, rows, ({ id }) => [id]);
  }

  /**
   * Returns which there were. All of a member's or a client's take the remembered consent with them: the next time is
   * asked for again. Who may do that is the caller's to know.
   */
  async revoke(tx: EntityManager, principal: Principal, filter: GrantFilter): Promise<RevokedGrant[]> {
    const { grantId, memberId, clientId } = filter;
    if (!grantId && !memberId && !clientId) throw new Error('no grant is named');
    if (!grantId) await tx.query(revokeConsents, [principal.tenantId, memberId ?? null, clientId ?? null]);
    return tx.query<RevokedGrant[]>(deleteGrants, values(principal, filter));
  }

  /** What was sent to a client and not exchanged yet: it may have gone to an address that is not the client's any more. */
  async revokeCodes(tx: EntityManager, { tenantId }: Principal, clientId: string): Promise<void> {
    await tx.query(deleteCodes, [tenantId, clientId]);
  }
}

const values = ({ tenantId }: Principal, { grantId, memberId, clientId }: GrantFilter) => [
  tenantId,
  grantId ?? null,
  memberId ?? null,
  clientId ? [clientId] : null,
];
