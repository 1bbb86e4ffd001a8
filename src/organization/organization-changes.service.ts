import { Injectable } from '@nestjs/common';
import { GroupsService } from '../access/groups.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { ClientsService } from '../oauth/clients/clients.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { BudgetsService } from '../spend/budgets/budgets.service.js';
import { type ApplicationContext, storedOf } from './application-context.js';
import type { PlannedChange } from './organization-plan.js';
import { OrganizationPartsService } from './organization-parts.service.js';
import { OrganizationRulesService } from './organization-rules.service.js';

/** Makes planned changes, in the transaction of the caller, with the functions that the single mutations use. */
@Injectable()
export class OrganizationChangesService {
  constructor(
    private readonly parts: OrganizationPartsService,
    private readonly rules: OrganizationRulesService,
    private readonly groups: GroupsService,
    private readonly connections: ConnectionsService,
    private readonly clients: ClientsService,
    private readonly budgets: BudgetsService,
  ) {}

  async applyAll(
    tx: Tx,
    principal: Principal,
    changes: readonly PlannedChange[],
    context: ApplicationContext,
  ): Promise<void> {
    await this.parts.createReferenced(tx, principal, changes, context);
    for (const change of changes) await this.apply(tx, principal, change, context);
  }

  private async apply(tx: Tx, principal: Principal, change: PlannedChange, context: ApplicationContext): Promise<void> {
    const { wanted } = change;
    if (!wanted) return this.remove(tx, principal, change);
    switch (wanted.kind) {
      case 'group':
        return this.parts.saveGroup(tx, principal, wanted, storedOf(change, 'group'), context);
      case 'connection':
        return this.parts.saveConnection(tx, principal, wanted, change, context);
      case 'configuration':
        return this.parts.saveConfiguration(tx, principal, wanted, storedOf(change, 'configuration'), context);
      case 'approval-step':
        return this.rules.saveStep(tx, principal, wanted, context);
      case 'policy':
        return this.rules.publishPolicy(tx, principal, wanted, storedOf(change, 'policy'), context);
      case 'client':
        return this.rules.saveClient(tx, principal, wanted, storedOf(change, 'client'), context);
      case 'budget':
        return this.rules.saveBudget(tx, principal, wanted, storedOf(change, 'budget'), context);
    }
  }

  private async remove(tx: Tx, principal: Principal, change: PlannedChange): Promise<void> {
    switch (change.kind) {
      case 'group':
        return void (await this.groups.removeIn(tx, principal, storedOf(change, 'group')!.id));
      case 'connection':
        return void (await this.connections.removeIn(tx, principal, storedOf(change, 'connection')!.id));
      case 'client':
        return void (await this.clients.revokeIn(tx, principal, storedOf(change, 'client')!.id));
      case 'budget':
        return void (await this.budgets.removeIn(tx, principal, storedOf(change, 'budget')!.id));
      default:
        throw new Error(`objects of the kind ${change.kind} cannot be deleted`);
    }
  }
}
