import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import { assertCurrentVersion } from '../../platform/graphql/version.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { type Day, monthOf, today } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { personNotFound, unitNotFound } from '../../people/people.error.js';
import { SpendPerson } from '../../people/person.entity.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../../people/people-visibility.service.js';
import { PersonMergeHookRegistry } from '../../people/person-merge-hook-registry.service.js';
import { SpendUnit } from '../../people/units/unit.entity.js';
import { subtractDecimals } from '../reports/ratios.js';
import { budgetSettings, SpendBudget } from './budget.entity.js';
import type { SpendBudgetStatus } from './budget-status.entity.js';
import { budgetExists, budgetNotFound } from './budgets.error.js';
import type { UpdateSpendBudgetInput, CreateSpendBudgetInput } from './budgets.input.js';
import {
  type BudgetRow,
  type BudgetVisibility,
  inheritBudgets,
  listBudgetAlerts,
  listBudgets,
  lockBudget,
  findBudget,
} from './budgets.sql.js';
import { forecast, percentOf } from './month.js';
import { BudgetSpendingService } from './budget-spending.service.js';

/** A budget as the requester sees it. */
export interface VisibleBudget extends BudgetRow {
  /** The person is shown by pseudonym, so no field may identify them. */
  isMasked: boolean;
}

@Injectable()
export class BudgetsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly queue: QueueService,
    private readonly peopleVisibility: PeopleVisibilityService,
    private readonly budgetSpending: BudgetSpendingService,
    private readonly personMergeHooks: PersonMergeHookRegistry,
  ) {}

  onModuleInit(): void {
    this.personMergeHooks.register(async (tx, { tenantId }, { from, into }) => {
      await tx.execute(inheritBudgets, [tenantId, from, into]);
    });
  }

  list(principal: Principal, { first, after }: PageArgs): Promise<Page<VisibleBudget>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const rows = await tx.run(listBudgets, [...visibilityValues(principal, visibility), name, id, first + 1]);
      const shown = rows.map((row) => ({ ...row, isMasked: masksPeople(principal, visibility) }));
      return toPage(shown, first, rows[0]?.total ?? 0, (budget) => [budget.name, budget.id]);
    });
  }

  get(principal: Principal, id: string): Promise<VisibleBudget> {
    return this.database.tenant(principal, (tx) => this.load(tx, principal, id));
  }

  /** Statuses in a month. Figures of a person require access to that person. */
  statuses(
    principal: Principal,
    budgets: readonly VisibleBudget[],
    month = monthOf(today()),
  ): Promise<Map<string, SpendBudgetStatus>> {
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const visible = budgets.filter((budget) => isVisible(principal, budget, visibility));
      const spent = await this.budgetSpending.byBudget(tx, visible, month);
      const days = await this.budgetSpending.days(tx, principal.tenantId, month);
      const alerts = await this.loadAlerts(tx, principal, budgets, month);
      const people = visible.filter(({ scope }) => scope === 'person').map(({ id }) => id);
      if (people.length)
        await this.peopleVisibility.recordRead(tx, principal, { report: 'spendBudgets', month, budgetIds: people });
      const statusOf = (budget: VisibleBudget): SpendBudgetStatus => ({
        ...budgetStatus(budget, spent.get(budget.id) ?? null, month),
        alerts: (alerts.get(budget.id) ?? []).map((alert) =>
          isVisible(principal, budget, visibility) ? alert : { ...alert, spentCents: null },
        ),
        days,
      });
      return new Map(budgets.map((budget) => [budget.id, statusOf(budget)]));
    });
  }

  create(principal: Principal, input: CreateSpendBudgetInput): Promise<VisibleBudget> {
    return this.database.tenant(principal, (tx) => this.createIn(tx, principal, input));
  }

  async createIn(tx: Tx, principal: Principal, input: CreateSpendBudgetInput): Promise<VisibleBudget> {
    const { tenantId } = principal;
    const { scope, unitId = null, personId = null, counts, amountCents } = input;
    await requireTarget(tx, principal, input);
    const id = newId();
    const thresholds = sortedThresholds(input.thresholds);
    const budget = { tenantId, id, scope, unitId, personId, counts, amountCents, thresholds, createdAt: new Date() };
    const { raw } = await tx
      .createQueryBuilder()
      .insert()
      .into(SpendBudget)
      .values(budget)
      .orIgnore()
      .returning('id')
      .execute();
    if (!(raw as unknown[]).length) throw budgetExists('This budget already exists. Edit it instead.');
    return this.recordWrite(tx, principal, id, 'created', {
      scope,
      unitId,
      personId,
      counts,
      amountCents,
      thresholds,
    });
  }

  update(principal: Principal, input: UpdateSpendBudgetInput): Promise<VisibleBudget> {
    return this.database.tenant(principal, (tx) => this.updateIn(tx, principal, input));
  }

  async updateIn(tx: Tx, principal: Principal, input: UpdateSpendBudgetInput): Promise<VisibleBudget> {
    const { budgetId: id, amountCents, thresholds, basedOn } = input;
    await tx.execute(lockBudget, [principal.tenantId, id]);
    assertCurrentVersion(basedOn, budgetSettings(await this.load(tx, principal, id)));
    const changes = {
      ...(amountCents && { amountCents }),
      ...(thresholds && { thresholds: sortedThresholds(thresholds) }),
    };
    if (Object.keys(changes).length) await tx.update(SpendBudget, { tenantId: principal.tenantId, id }, changes);
    return this.recordWrite(tx, principal, id, 'changed', changes);
  }

  remove(principal: Principal, id: string): Promise<VisibleBudget> {
    return this.database.tenant(principal, (tx) => this.removeIn(tx, principal, id));
  }

  async removeIn(tx: Tx, principal: Principal, id: string): Promise<VisibleBudget> {
    const budget = await this.load(tx, principal, id);
    await tx.delete(SpendBudget, { tenantId: principal.tenantId, id });
    await this.audit.record(tx, principal, { kind: 'spend_budget.removed', subject: subjectOf(budget) });
    return budget;
  }

  /** Records the change and schedules a check, because a threshold may already be reached. */
  private async recordWrite(
    tx: Tx,
    principal: Principal,
    id: string,
    action: 'created' | 'changed',
    detail: Record<string, unknown>,
  ): Promise<VisibleBudget> {
    const { tenantId } = principal;
    const budget = await this.load(tx, principal, id);
    await this.audit.record(tx, principal, { kind: `spend_budget.${action}`, subject: subjectOf(budget), detail });
    await this.queue.add(tx, 'spend.budgets', { tenantId }, { key: `spend.budgets:${tenantId}` });
    return budget;
  }

  private async load(tx: Tx, principal: Principal, id: string): Promise<VisibleBudget> {
    const visibility = await this.peopleVisibility.resolve(principal, tx);
    const budget = await tx.one(findBudget, [...visibilityValues(principal, visibility), id]);
    if (!budget) throw budgetNotFound('There is no such budget.');
    return { ...budget, isMasked: masksPeople(principal, visibility) };
  }

  private async loadAlerts(tx: Tx, { tenantId }: Principal, budgets: readonly VisibleBudget[], month: Day) {
    const rows = await tx.run(listBudgetAlerts, [tenantId, budgets.map(({ id }) => id), month]);
    return Map.groupBy(rows, ({ budgetId }) => budgetId);
  }
}

const sortedThresholds = (thresholds: readonly number[]) => thresholds.toSorted((a, b) => a - b);
const subjectOf = ({ id, name }: VisibleBudget) => ({ type: 'spend_budget', id, ...(name && { name }) });
const manages = ({ permissions }: Principal) => permissions.has('spend:manage');

/** Administrators see real names and no pseudonyms next to them. Others see pseudonyms and no real names. */
const masksPeople = (principal: Principal, { pseudonyms }: PeopleVisibility): boolean =>
  pseudonyms && !manages(principal);

/** Budget managers see every budget's person. Figures of a person additionally require access to the person. */
const visibilityValues = (principal: Principal, seen: PeopleVisibility): BudgetVisibility => [
  principal.tenantId,
  manages(principal) || seen.individuals === 'all',
  Array.isArray(seen.individuals) ? seen.individuals : [],
  masksPeople(principal, seen),
];

/** Figures of a person require access to the person. With pseudonyms, nobody sees figures next to a real name. */
function isVisible(principal: Principal, { scope, groupId }: VisibleBudget, seen: PeopleVisibility): boolean {
  if (scope !== 'person') return true;
  if (seen.pseudonyms && manages(principal)) return false;
  return seen.individuals === 'all' || (groupId !== null && seen.individuals.includes(groupId));
}

function budgetStatus({ amountCents }: VisibleBudget, spentCents: string | null, month: Day) {
  if (spentCents === null) return { month, spentCents, remainingCents: null, percent: null, forecastCents: null };
  const remainingCents = subtractDecimals(amountCents, spentCents);
  const percent = percentOf(spentCents, amountCents);
  return { month, spentCents, remainingCents, percent, forecastCents: forecast(spentCents, month, today()) };
}

async function requireTarget(
  tx: Tx,
  { tenantId }: Principal,
  { scope, unitId, personId }: CreateSpendBudgetInput,
): Promise<void> {
  const [needsUnit, needsPerson] = [scope === 'group' || scope === 'cost_centre', scope === 'person'];
  const errors = [
    ...(needsUnit === !unitId
      ? [{ pointer: '/unitId', detail: needsUnit ? 'is missing' : 'is only for groups and cost centres' }]
      : []),
    ...(needsPerson === !personId
      ? [{ pointer: '/personId', detail: needsPerson ? 'is missing' : 'is only for people' }]
      : []),
  ];
  if (errors.length) throw invalidRequest('The target of the budget does not match its scope.', { errors });
  if (needsUnit && (await tx.findOneBy(SpendUnit, { tenantId, id: unitId! }))?.kind !== scope)
    throw unitNotFound('There is no such group or cost centre.');
  if (needsPerson && !(await tx.findOneBy(SpendPerson, { tenantId, id: personId! })))
    throw personNotFound('There is no such person.');
}
