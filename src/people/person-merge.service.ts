import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import { removeSearchWords } from './people-rows.js';
import { PersonMergeHookRegistry } from './person-merge-hook-registry.service.js';
import { inheritUnits, moveAliases, moveIdentities } from './people.sql.js';
import { SpendPerson } from './person.entity.js';

/**
 * Merges two people: identities and email addresses of the first move to the second, and so do group and cost centre if
 * the second lacks them.
 */
@Injectable()
export class PersonMergeService {
  constructor(
    private readonly audit: AuditService,
    private readonly mergeHooks: PersonMergeHookRegistry,
  ) {}

  async merge(tx: Tx, principal: Principal, { from, into }: { from: string; into: string }): Promise<void> {
    const { tenantId } = principal;
    const source = await tx.findOneByOrFail(SpendPerson, { tenantId, id: from });
    const target = await tx.findOneByOrFail(SpendPerson, { tenantId, id: into });
    await tx.execute(inheritUnits, [tenantId, from, into]);
    await tx.execute(moveAliases, [tenantId, from, into]);
    await tx.execute(moveIdentities, [tenantId, from, into]);
    await this.mergeHooks.run(tx, principal, { from, into });
    await removeSearchWords(tx, tenantId, [from]);
    await tx.delete(SpendPerson, { tenantId, id: from });
    await this.audit.record(tx, principal, {
      kind: 'spend_person.merged',
      subject: { type: 'spend_person', id: into, name: target.name },
      detail: { from: source.email ?? source.name, fromId: from },
    });
  }
}
