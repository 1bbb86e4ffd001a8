import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { IndependenceService } from '../independence/independence.service.js';
import { Member } from '../member.entity.js';
import { requireFresh, requireSession } from '../sessions.service.js';
import { lockTenant } from '../tenants.sql.js';
import { AdministrationService } from './administration.service.js';
import { type AdministrationArea, allAdministrationAreas, areaNames } from './administration-area.js';
import type { TwoPersonAdministration } from './two-person-administration.object.js';
import { TwoPersonArea } from './two-person-area.entity.js';

interface AreaInput {
  area: AdministrationArea;
}

/** Which areas need a second administrator. One administrator makes the rules stricter; two relax them. */
@Injectable()
export class TwoPersonAdministrationService {
  private readonly disable: (principal: Principal, input: AreaInput) => Promise<void>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly independence: IndependenceService,
    administration: AdministrationService,
  ) {
    this.disable = administration.register<AreaInput, void>({
      kind: 'two_person.disable',
      permission: 'organization:manage',
      isAlwaysProposed: true,
      describe: async (tx, { tenantId }, { area }) => {
        const enabled = await tx.findOneBy(TwoPersonArea, { tenantId, area });
        if (!enabled) throw conflict(`Changes of ${areaNames[area]} do not need a second administrator.`);
        return {
          areas: [area],
          title: `Stop requiring a second administrator for ${areaNames[area]}`,
          subject: { type: 'tenant', id: tenantId },
          fields: [{ label: `Second administrator for ${areaNames[area]}`, before: 'Required', after: 'Not required' }],
          basis: enabled.enabledAt.toISOString(),
        };
      },
      apply: async (tx, principal, { area }) => {
        await tx.delete(TwoPersonArea, { tenantId: principal.tenantId, area });
        await this.record(tx, principal, 'two_person.disabled', area);
      },
    });
  }

  async get(principal: Principal): Promise<TwoPersonAdministration> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const enabled = await tx.findBy(TwoPersonArea, { tenantId });
      const admins = await tx.findBy(Member, { tenantId, status: 'active', adminSince: Not(IsNull()) });
      const others = admins.flatMap(({ id }) => (id === memberId ? [] : [id]));
      const independent = await this.independence.areEachIndependent(tx, tenantId, memberId, others);
      return {
        areas: allAdministrationAreas.map((area) => {
          const row = enabled.find((one) => one.area === area);
          return { area, isEnabled: Boolean(row), enabledAt: row?.enabledAt ?? null };
        }),
        administratorCount: admins.length,
        hasSecondAdministrator: independent.includes(true),
      };
    });
  }

  /** Disabling throws `change-proposed`. */
  async set(principal: Principal, area: AdministrationArea, isEnabled: boolean): Promise<TwoPersonAdministration> {
    const { tenantId, memberId } = requireFresh(principal);
    if (!isEnabled) await this.disable(principal, { area });
    else
      await this.database.tenant(principal, async (tx) => {
        await tx.execute(lockTenant, [tenantId]);
        if (await tx.existsBy(TwoPersonArea, { tenantId, area })) return;
        await tx.insert(TwoPersonArea, { tenantId, area, enabledBy: memberId, enabledAt: new Date() });
        await this.record(tx, principal, 'two_person.enabled', area);
      });
    return this.get(principal);
  }

  private record(tx: Tx, principal: Principal, kind: string, area: AdministrationArea): Promise<void> {
    const { tenantId: id } = principal;
    return this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id }, detail: { area } });
  }
}
