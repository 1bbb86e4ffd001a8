import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import { findCallIn } from './call-state.js';
import { Refusal } from './refusal.js';

/** Ends calls whose time is over: attempts of lost processes, and approvals that nobody used. */
@Injectable()
export class LapsedCallsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callCompletion: CallCompletionService,
    private readonly callSettlement: CallSettlementService,
  ) {}

  async abandon(tenantId: string, id: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'gate');
    await this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [id]);
      const call = await findCallIn(tx, { tenantId, id }, 'executing');
      if (!call || call.executingUntil > new Date()) return;
      const abandoned = await this.callCompletion.abandon(tx, principal, call);
      if (abandoned) await this.callSettlement.publish(tx, abandoned);
    });
  }

  async expire(tenantId: string, id: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'gate');
    await this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [id]);
      const call = await findCallIn(tx, { tenantId, id }, 'approved');
      if (!call) return;
      await this.callCompletion.withdraw(
        tx,
        principal,
        call,
        new Refusal('approval-expired', 'The approval was not used in time.'),
      );
      await this.callSettlement.publish(tx, call);
    });
  }
}
