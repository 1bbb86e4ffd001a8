import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { MemberRemovalHookRegistry } from '../../access/member-removal-hook-registry.service.js';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { assertCurrentVersion } from '../../platform/graphql/version.js';
import type { Principal } from '../../principal/principal.js';
import { notAnAnalyst, unitNotFound } from '../people.error.js';
import { SpendUnit } from '../units/unit.entity.js';
import { viewSettings, type SpendView } from './view.entity.js';
import { addViews, deleteViews, listViews } from './views.sql.js';

export interface AnalystViewInput {
  memberId: string;
  seesEverybody: boolean;
  groupIds: readonly string[];
  basedOn?: string | null;
}

/** An administrator grants access to individual usage group by group. Each change is audited. */
@Injectable()
export class AnalystViewsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.memberRemovalHookRegistry.register(async (tx, { tenantId }, memberId) => {
      await tx.execute(deleteViews, [tenantId, memberId]);
    });
  }

  /** Views of all analysts. */
  list(principal: Principal): Promise<SpendView[]> {
    return this.database.tenant(principal, (tx) => this.read(tx, principal));
  }

  /** The principal's own view. Null if the principal is not an analyst. */
  async findOwn(principal: Principal): Promise<SpendView | null> {
    const { memberId } = principal;
    if (!memberId || !principal.permissions.has('spend:people')) return null;
    const [view] = await this.database.tenant(principal, (tx) => this.read(tx, principal, memberId));
    return view ?? null;
  }

  /** Replaces the analyst's view. */
  set(principal: Principal, { memberId, seesEverybody, groupIds, basedOn }: AnalystViewInput): Promise<SpendView> {
    if (principal.kind !== 'system') requireSession(principal);
    if (seesEverybody && groupIds.length)
      throw invalidRequest('"seesEverybody" already includes every group. Omit "groupIds".', {
        errors: [{ pointer: '/groupIds', detail: 'must be empty if "seesEverybody" is true' }],
      });
    return this.database.tenant(principal, async (tx) => {
      const { tenantId } = principal;
      const [before] = await this.read(tx, principal, memberId);
      if (!before) throw notAnAnalyst('This member does not have the role "analyst".');
      assertCurrentVersion(basedOn, viewSettings(before));
      const groups = await loadGroups(tx, principal, groupIds);
      await tx.execute(deleteViews, [tenantId, memberId]);
      await tx.execute(addViews, [tenantId, memberId, seesEverybody ? [null] : groups.map(({ id }) => id)]);
      const [after] = await this.read(tx, principal, memberId);
      await this.audit.record(tx, principal, {
        kind: 'spend_view.changed',
        subject: { type: 'member', id: memberId, name: after.name },
        detail: { from: visibleGroups(before), to: visibleGroups(after) },
      });
      return after;
    });
  }

  private read(tx: Tx, { tenantId }: Principal, memberId?: string): Promise<SpendView[]> {
    return tx.run(listViews, [tenantId, memberId ?? null]);
  }
}

const visibleGroups = ({ seesEverybody, groups }: SpendView) =>
  seesEverybody ? 'everybody' : groups.map(({ name }) => name);

async function loadGroups(tx: Tx, { tenantId }: Principal, groupIds: readonly string[]): Promise<SpendUnit[]> {
  const ids = [...new Set(groupIds)];
  const groups = await tx.findBy(SpendUnit, { tenantId, kind: 'group', id: In(ids) });
  if (groups.length < ids.length) throw unitNotFound('One of the groups does not exist.');
  return groups;
}
