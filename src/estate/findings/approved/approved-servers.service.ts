import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { type ApprovedItem, ApprovedList } from './approved-list.js';

const selectApprovedItems = `
  select kind, value from estate_approved where tenant_id = $1 and withdrawn_at is null order by kind, value`;

/** Loads the approved list of an organization. */
@Injectable()
export class ApprovedServersService {
  async list(tx: Tx, { tenantId }: Principal): Promise<{ approved: ApprovedItem[]; allowed: ApprovedList }> {
    const approved = await tx.query<ApprovedItem[]>(selectApprovedItems, [tenantId]);
    return { approved, allowed: new ApprovedList(approved) };
  }
}
