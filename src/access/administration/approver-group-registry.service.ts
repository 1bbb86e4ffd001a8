import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';

type ApproverGroupCheck = (tx: Tx, tenantId: string, groupId: string) => Promise<boolean>;

/** Tells which groups approve calls. The module of the approval steps registers the answer. */
@Injectable()
export class ApproverGroupRegistry {
  private check: ApproverGroupCheck = async () => false;

  /** Call in `onModuleInit`. */
  register(check: ApproverGroupCheck): void {
    this.check = check;
  }

  /** Whether an approval step names the group as approvers or as the escalation group. */
  approves(tx: Tx, tenantId: string, groupId: string): Promise<boolean> {
    return this.check(tx, tenantId, groupId);
  }

  async anyApproves(tx: Tx, tenantId: string, groupIds: readonly string[]): Promise<boolean> {
    for (const groupId of groupIds) if (await this.approves(tx, tenantId, groupId)) return true;
    return false;
  }
}
