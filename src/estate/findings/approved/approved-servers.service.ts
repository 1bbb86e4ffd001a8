import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { type ApprovableServer, type ApprovedItem, type ApprovedKind, ApprovedList } from './approved-list.js';
import { definitionsOfServers, listApprovedItems } from './estate-approvals.sql.js';

/** Compares servers with the approved list of an organization. */
@Injectable()
export class ApprovedServersService {
  constructor(private readonly database: DatabaseService) {}

  async list(tx: Tx, { tenantId }: Principal): Promise<{ approved: ApprovedItem[]; allowed: ApprovedList }> {
    const approved = await tx.run(listApprovedItems, [tenantId]);
    return { approved, allowed: new ApprovedList(approved) };
  }

  /** The approval that allows each entry, or null. */
  allowedBy(principal: Principal, entries: readonly ApprovableServer[]): Promise<(ApprovedKind | null)[]> {
    return this.database.tenant(principal, async (tx) => {
      const { allowed } = await this.list(tx, principal);
      return entries.map((entry) => allowed.allows(entry));
    });
  }

  /** The number of approved definitions of each server, in the order of the ids. */
  countApprovedDefinitions(principal: Principal, serverIds: readonly string[]): Promise<number[]> {
    return this.database.tenant(principal, async (tx) => {
      const { allowed } = await this.list(tx, principal);
      const definitions = await tx.run(definitionsOfServers, [principal.tenantId, serverIds]);
      const approved = Map.groupBy(
        definitions.filter((definition) => allowed.allows(definition)),
        ({ serverId }) => serverId,
      );
      return serverIds.map((id) => approved.get(id)?.length ?? 0);
    });
  }
}
