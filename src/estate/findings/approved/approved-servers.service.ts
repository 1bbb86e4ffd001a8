import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { type ApprovedItem, ApprovedList } from './approved-list.js';
import { listApprovedItems } from './estate-approvals.sql.js';

/** Loads the approved list of an organization. */
@Injectable()
export class ApprovedServersService {
  async list(tx: Tx, { tenantId }: Principal): Promise<{ approved: ApprovedItem[]; allowed: ApprovedList }> {
    const approved = await tx.run(listApprovedItems, [tenantId]);
    return { approved, allowed: new ApprovedList(approved) };
  }
}
