import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { Principal } from '../../principal/principal.js';
import { inheritBudgets } from '../budgets/budgets.sql.js';
import { forgetWords } from './people-rows.js';
import { forgetPerson, inheritUnits, moveAliases, moveIdentities } from './people.sql.js';
import { SpendPerson } from './person.entity.js';

/** Two people that turn out to be one: the first one's past, addresses and, where there was none, group and budgets become the other's. */
@Injectable()
export class Merging {
  constructor(private readonly audit: AuditService) {}

  async merge(tx: EntityManager, principal: Principal, { from, into }: { from: string; into: string }): Promise<void> {
    const { tenantId } = principal;
    const gone = await tx.findOneByOrFail(SpendPerson, { tenantId, id: from });
    const stays = await tx.findOneByOrFail(SpendPerson, { tenantId, id: into });
    await tx.query(inheritUnits, [tenantId, from, into]);
    await tx.query(moveAliases, [tenantId, from, into]);
    await tx.query(moveIdentities, [tenantId, from, into]);
    await tx.query(inheritBudgets, [tenantId, from, into]);
    await forgetWords(tx, tenantId, [from]);
    await tx.query(forgetPerson, [tenantId, from]);
    await this.audit.record(tx, principal, {
      kind: 'spend_person.merged',
      subject: { type: 'spend_person', id: into, name: stays.name },
      detail: { from: gone.email ?? gone.name, fromId: from },
    });
  }
}
