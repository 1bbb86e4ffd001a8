import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { unitNotFound } from '../people.error.js';
import { lockPeople } from '../people-rows.sql.js';
import { SpendUnit, type UnitKind } from './unit.entity.js';
import { countUnitUses, listUnits } from './units.sql.js';
import { unitKey, unitName } from './unit-name.port.js';

/**
 * Groups and cost centres for reports. They are separate from access groups: sharing a budget does not grant access.
 */
@Injectable()
export class UnitsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  /** Sorted by name. */
  list(principal: Principal, { first, after }: PageArgs, kind?: UnitKind | null): Promise<Page<SpendUnit>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listUnits, [principal.tenantId, kind ?? null, name, id, first + 1]);
      return toPage(rows, first, rows[0]?.total ?? 0, (unit) => [unit.name, unit.id]);
    });
  }

  create(principal: Principal, kind: UnitKind, typed: string): Promise<SpendUnit> {
    return this.database.tenant(principal, (tx) => this.createIn(tx, principal, kind, typed));
  }

  async createIn(tx: Tx, principal: Principal, kind: UnitKind, typed: string): Promise<SpendUnit> {
    await tx.execute(lockPeople, [principal.tenantId]);
    const name = await this.requireFreeName(tx, principal, kind, typed);
    const unit = { tenantId: principal.tenantId, id: newId(), kind, name };
    await tx.insert(SpendUnit, unit);
    await this.record(tx, principal, 'created', unit);
    return unit;
  }

  rename(principal: Principal, id: string, input: string): Promise<SpendUnit> {
    return this.changeUnits(principal, async (tx) => {
      const unit = await this.load(tx, principal, id);
      const name = await this.requireFreeName(tx, principal, unit.kind, input, id);
      await tx.update(SpendUnit, { tenantId: principal.tenantId, id }, { name });
      await this.record(tx, principal, 'renamed', unit, { to: name });
      return { ...unit, name };
    });
  }

  /** Rejected if it has people or if analysts have access to it. */
  remove(principal: Principal, id: string): Promise<SpendUnit> {
    return this.changeUnits(principal, async (tx) => {
      const unit = await this.load(tx, principal, id);
      const [{ people, analysts }] = await tx.run(countUnitUses, [principal.tenantId, id]);
      if (people || analysts)
        throw conflict(
          `"${unit.name}" is in use by ${people} people and ${analysts} analysts. Move the people and change the analysts’ access first.`,
        );
      await tx.delete(SpendUnit, { tenantId: principal.tenantId, id });
      await this.record(tx, principal, 'removed', unit);
      return unit;
    });
  }

  private changeUnits<T>(principal: Principal, write: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockPeople, [principal.tenantId]);
      return write(tx);
    });
  }

  private async load(tx: Tx, { tenantId }: Principal, id: string): Promise<SpendUnit> {
    const unit = await tx.findOneBy(SpendUnit, { tenantId, id });
    if (!unit) throw unitNotFound('There is no such group or cost centre.');
    return unit;
  }

  private async requireFreeName(
    tx: Tx,
    { tenantId }: Principal,
    kind: UnitKind,
    input: string,
    forId?: string,
  ): Promise<string> {
    const name = unitName(input);
    const others = await tx.findBy(SpendUnit, { tenantId, kind });
    const same = others.find((other) => other.id !== forId && unitKey(other.name) === unitKey(name));
    if (same) throw conflict(`A ${kind.replace('_', ' ')} named "${same.name}" already exists. Choose another name.`);
    return name;
  }

  private record(
    tx: Tx,
    principal: Principal,
    action: string,
    { id, kind, name }: SpendUnit,
    detail?: Record<string, unknown>,
  ): Promise<void> {
    const subject = { type: `spend_${kind}`, id, name };
    return this.audit.record(tx, principal, { kind: `spend_${kind}.${action}`, subject, detail });
  }
}
