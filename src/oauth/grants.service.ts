import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { deleteGrants, forgetConsents, liveGrants } from './grants.sql.js';

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

/** Which grants: all of the organization's that fit every part that is named. */
export interface GrantFilter {
  grantId?: string;
  memberId?: string;
  clientId?: string;
}

/** What lives between a member and a client. To end a grant ends its tokens on the very next request. */
@Injectable()
export class GrantsService {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(principal: Principal, filter: GrantFilter = {}): Promise<LiveGrant[]> {
    return this.database.tenant(principal, (tx) => tx.query<LiveGrant[]>(liveGrants, values(principal, filter)));
  }

  /**
   * Returns how many there were. All of a member's or a client's take the remembered consent with them: the next time is
   * asked for again. Who may do that is the caller's to know.
   */
  async revoke(tx: EntityManager, principal: Principal, filter: GrantFilter): Promise<number> {
    const { grantId, memberId, clientId } = filter;
    if (!grantId && !memberId && !clientId) throw new Error('no grant is named');
    if (!grantId) await tx.query(forgetConsents, [principal.tenantId, memberId ?? null, clientId ?? null]);
    const rows = await tx.query<unknown[]>(deleteGrants, values(principal, filter));
    return rows.length;
  }
}

const values = ({ tenantId }: Principal, { grantId, memberId, clientId }: GrantFilter) => [
  tenantId,
  grantId ?? null,
  memberId ?? null,
  clientId ?? null,
];
