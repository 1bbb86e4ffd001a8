import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { Database } from '../../platform/database/database.service.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, page, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import { refuseOutdated } from '../../platform/graphql/version.js';
import { Queue } from '../../platform/queue/queue.service.js';
import type { Principal } from '../../principal/principal.js';
import { personNotFound, unitNotFound } from '../people/people.error.js';
import { SpendPerson } from '../people/person.entity.js';
import { type Seen, Sight } from '../people/sight.service.js';
import { SpendUnit } from '../people/units/unit.entity.js';
import { today } from '../reports/calendar.js';
import { difference } from '../reports/ratios.js';
import type { Day } from '../usage-row.js';
import { settingsOf, SpendBudget } from './budget.entity.js';
import type { SpendBudgetAlert, SpendBudgetStanding } from './budget-standing.entity.js';
import { budgetExists, budgetNotFound } from './budgets.error.js';
import type { ChangeSpendBudgetInput, CreateSpendBudgetInput } from './budgets.input.js';
import { alertsOf, listBudgets, lockBudget, oneBudget } from './budgets.sql.js';
import { forecast, monthOf, percentOf } from './month.js';
import { Spent } from './spent.service.js';

/** A budget as its asker sees it. */
export interface SeenBudget extends SpendBudget {
  /** Of the group, cost centre or person; empty for the organization. */
  name: string;
  /** Of the person. */
  groupId: string | null;
  /** The person goes by a pseudonym, and nothing may lead back. */
  isMasked: boolean;
}

@Injectable()
export class Budgets {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly queue: Queue,
    private readonly sight: Sight,
    private readonly spent: Spent,
  ) {}

  /** By name. */
  list(principal: Principal, { first, after }: PageArgs): Promise<Page<SeenBudget>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      const values = [...visibleTo(principal, seen), name, id, first + 1];
      const rows = await tx.query<(SeenBudget & { total: number })[]>(listBudgets, values);
      const shown = rows.map((row) => ({ ...row, isMasked: masks(principal, seen) }));
      return page(shown, first, rows[0]?.total ?? 0, (budget) => [budget.name, budget.id]);
    });
  }

  get(principal: Principal, id: string): Promise<SeenBudget> {
    return this.database.tenant(principal, (tx) => this.found(tx, principal, id));
  }

  /** How each stands in a month. A person's figures are for those who may see the person. */
  standings(
    principal: Principal,
    budgets: readonly SeenBudget[],
    month = monthOf(today()),
  ): Promise<Map<string, SpendBudgetStanding>> {
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      const told = budgets.filter((budget) => isTold(principal, budget, seen));
      const spent = await this.spent.of(tx, told, month);
      const days = await this.spent.days(tx, principal.tenantId, month);
      const alerts = await this.alerts(tx, principal, budgets, month);
      const people = told.filter(({ scope }) => scope === 'person').map(({ id }) => id);
      if (people.length)
        await this.sight.recordRead(tx, principal, { report: 'spendBudgets', month, budgetIds: people });
      const standingOf = (budget: SeenBudget): SpendBudgetStanding => ({
        ...standing(budget, spent.get(budget.id) ?? null, month),
        alerts: (alerts.get(budget.id) ?? []).map((alert) =>
          isTold(principal, budget, seen) ? alert : { ...alert, spentCents: null },
        ),
        days,
      });
      return new Map(budgets.map((budget) => [budget.id, standingOf(budget)]));
    });
  }

  create(principal: Principal, wanted: CreateSpendBudgetInput): Promise<SeenBudget> {
    const { tenantId } = principal;
    const { scope, unitId = null, personId = null, counts, amountCents } = wanted;
    return this.database.tenant(principal, async (tx) => {
      await requireTarget(tx, principal, wanted);
      const id = newId();
      const thresholds = inOrder(wanted.thresholds);
      const budget = { tenantId, id, scope, unitId, personId, counts, amountCents, thresholds, createdAt: new Date() };
      const { raw } = await tx
        .createQueryBuilder()
        .insert()
        .into(SpendBudget)
        .values(budget)
        .orIgnore()
        .returning('id')
        .execute();
      if (!(raw as unknown[]).length) throw budgetExists('There is one already. Change it instead.');
      return this.written(tx, principal, id, 'created', { scope, unitId, personId, counts, amountCents, thresholds });
    });
  }

  change(principal: Principal, input: ChangeSpendBudgetInput): Promise<SeenBudget> {
    const { budgetId: id, amountCents, thresholds, basedOn } = input;
    return this.database.tenant(principal, async (tx) => {
      await tx.query(lockBudget, [principal.tenantId, id]);
      refuseOutdated(basedOn, settingsOf(await this.found(tx, principal, id)));
      const changes = { ...(amountCents && { amountCents }), ...(thresholds && { thresholds: inOrder(thresholds) }) };
      if (Object.keys(changes).length) await tx.update(SpendBudget, { tenantId: principal.tenantId, id }, changes);
      return this.written(tx, principal, id, 'changed', changes);
    });
  }

  remove(principal: Principal, id: string): Promise<SeenBudget> {
    return this.database.tenant(principal, async (tx) => {
      const budget = await this.found(tx, principal, id);
      await tx.delete(SpendBudget, { tenantId: principal.tenantId, id });
      await this.audit.record(tx, principal, { kind: 'spend_budget.removed', subject: subjectOf(budget) });
      return budget;
    });
  }

  /** For the record; and whether something of it is reached already is looked after at once. */
  private async written(
    tx: EntityManager,
    principal: Principal,
    id: string,
    done: 'created' | 'changed',
    detail: Record<string, unknown>,
  ): Promise<SeenBudget> {
    const { tenantId } = principal;
    const budget = await this.found(tx, principal, id);
    await this.audit.record(tx, principal, { kind: `spend_budget.${done}`, subject: subjectOf(budget), detail });
    await this.queue.add(tx, 'spend.budgets', { tenantId }, { key: `spend.budgets:${tenantId}` });
    return budget;
  }

  private async found(tx: EntityManager, principal: Principal, id: string): Promise<SeenBudget> {
    const seen = await this.sight.of(principal, tx);
    const [budget] = await tx.query<SeenBudget[]>(oneBudget, [...visibleTo(principal, seen), id]);
    if (!budget) throw budgetNotFound('There is no such budget.');
    return { ...budget, isMasked: masks(principal, seen) };
  }

  private async alerts(tx: EntityManager, { tenantId }: Principal, budgets: readonly SeenBudget[], month: Day) {
    type Row = SpendBudgetAlert & { budgetId: string };
    const rows = await tx.query<Row[]>(alertsOf, [tenantId, budgets.map(({ id }) => id), month]);
    return Map.groupBy(rows, ({ budgetId }) => budgetId);
  }
}

const inOrder = (thresholds: readonly number[]) => thresholds.toSorted((a, b) => a - b);
const subjectOf = ({ id, name }: SeenBudget) => ({ type: 'spend_budget', id, ...(name && { name }) });
const manages = ({ permissions }: Principal) => permissions.has('spend:manage');

/** Who administers knows who is who and sees no pseudonym beside it; who sees pseudonyms is not told whose they are. */
const masks = (principal: Principal, { pseudonyms }: Seen): boolean => pseudonyms && !manages(principal);

/** Whoever sets budgets knows whom they are for; what these people use, only those whom the people are shown to. */
const visibleTo = (principal: Principal, seen: Seen): unknown[] => [
  principal.tenantId,
  manages(principal) || seen.individuals === 'all',
  Array.isArray(seen.individuals) ? seen.individuals : [],
  masks(principal, seen),
];

/** Figures of a person are told to who sees the person: and beside a name only where figures are shown by name. */
function isTold(principal: Principal, { scope, groupId }: SeenBudget, seen: Seen): boolean {
  if (scope !== 'person') return true;
  if (seen.pseudonyms && manages(principal)) return false;
  return seen.individuals === 'all' || (groupId !== null && seen.individuals.includes(groupId));
}

function standing({ amountCents }: SeenBudget, spentCents: string | null, month: Day) {
  if (spentCents === null) return { month, spentCents, remainingCents: null, percent: null, forecastCents: null };
  const remainingCents = difference(amountCents, spentCents);
  const percent = percentOf(spentCents, amountCents);
  return { month, spentCents, remainingCents, percent, forecastCents: forecast(spentCents, month, today()) };
}

async function requireTarget(
  tx: EntityManager,
  { tenantId }: Principal,
  { scope, unitId, personId }: CreateSpendBudgetInput,
): Promise<void> {
  const [wantsUnit, wantsPerson] = [scope === 'group' || scope === 'cost_centre', scope === 'person'];
  const errors = [
    ...(wantsUnit === !unitId
      ? [{ pointer: '/unitId', detail: wantsUnit ? 'is missing' : 'is for groups and cost centres' }]
      : []),
    ...(wantsPerson === !personId
      ? [{ pointer: '/personId', detail: wantsPerson ? 'is missing' : 'is for people' }]
      : []),
  ];
  if (errors.length) throw invalidRequest('What the budget is for does not fit its scope.', { errors });
  if (wantsUnit && (await tx.findOneBy(SpendUnit, { tenantId, id: unitId! }))?.kind !== scope)
    throw unitNotFound('There is no such group or cost centre.');
  if (wantsPerson && !(await tx.findOneBy(SpendPerson, { tenantId, id: personId! })))
    throw personNotFound('There is no such person.');
}
