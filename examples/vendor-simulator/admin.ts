import { badRequest, notFound, paging, period } from './asked.ts';
import type { Asked } from './asked.ts';
import { bent } from './bends.ts';
import { dayOf, daysBetween, startOf } from './ledger/days.ts';
import type { Day } from './ledger/days.ts';
import type { UsageEvent } from './ledger/events.ts';
import { groups, isPerson } from './ledger/people.ts';
import type { Actor, Group } from './ledger/people.ts';
import type { UsageDay } from './ledger/usage.ts';

/** `GET /teams/members`: all members at once, without those who left. */
export function members({ ledger, kinds }: Asked): object {
  function* list() {
    for (let index = 0; index < ledger.people; index++) {
      const isRemoved = ledger.hasLeft(index);
      if (isRemoved && !kinds.has('lists-removed')) continue;
      const { id, name, email, role } = ledger.person(index);
      yield { id, name, email, role, isRemoved };
    }
  }
  return { teamMembers: rows(list(), kinds) };
}

/**
 * `POST /teams/daily-usage-data`. A page is a number of users with all their days; without paging, only active users.
 */
export function dailyUsage(asked: Asked): object {
  const { body, ledger, kinds } = asked;
  const { startDate, endDate, start } = period(asked);
  const from = dayOf(start);
  const isPaged = body.page !== undefined && body.pageSize !== undefined;
  const { page, pageSize } = paging({ page: body.page, pageSize: body.pageSize }, { usual: 1000, most: 1000 });
  const skip = kinds.has('same-page') ? 0 : (page - 1) * pageSize;
  const repeated = kinds.has('repeated-rows') && skip > 0 ? 1 : 0;
  const wanted = daysBetween(from, dayOf(endDate)).filter((day) => startOf(day) >= start && startOf(day) <= endDate);
  function* list() {
    const [first, last] = isPaged ? [skip - repeated, skip + pageSize] : [0, ledger.people];
    for (let index = first; index < Math.min(last, ledger.people); index++)
      for (const day of wanted) {
        const usage = ledger.day(day, index);
        if (isPaged || usage.isActive) yield dailyRow(usage);
      }
  }
  const totalPages = Math.max(1, Math.ceil(ledger.people / pageSize));
  return {
    data: rows(list(), kinds),
    period: { startDate, endDate },
    pagination: isPaged
      ? {
          page,
          pageSize,
          totalUsers: ledger.people,
          totalPages,
          hasNextPage: page < totalPages,
          hasPreviousPage: page > 1,
        }
      : undefined,
  };
}

function dailyRow({ person, day, isActive, ...counted }: UsageDay): object {
  return { userId: person.userId, day, date: startOf(day), isActive, ...counted, email: person.email };
}

/** `POST /teams/filtered-usage-events`: newest first. Events have no id. */
export function usageEvents(asked: Asked): object {
  const { body, ledger, kinds } = asked;
  const { startDate, endDate, start } = period(asked);
  const { page, pageSize, skip } = paging({ page: body.page, pageSize: body.pageSize }, { usual: 100, most: 1000 });
  if (kinds.has('shifting-pages') && page > 1) ledger.arrive(dayOf(endDate));
  const actor = asOneActor(asked);
  const total = actor === null ? 0 : ledger.countBetween(start, endDate, actor);
  const begin = kinds.has('same-page') ? 0 : Math.max(0, skip - (kinds.has('repeated-rows') ? 1 : 0));
  function* list() {
    if (actor === null) return;
    let count = skip - begin + pageSize;
    for (const event of ledger.eventsBetween(start, endDate, { skip: begin, actor })) {
      if (count-- <= 0) return;
      yield eventRow(event);
    }
  }
  const numPages = Math.max(1, Math.ceil(total / pageSize));
  return {
    totalUsageEventsCount: total,
    pagination: { numPages, currentPage: page, pageSize, hasNextPage: page < numPages, hasPreviousPage: page > 1 },
    usageEvents: rows(list(), kinds),
    period: { startDate, endDate },
  };
}

/** Undefined: no filter; null: the filter matches no one. */
function asOneActor({ body, ledger }: Asked): number | undefined | null {
  const { email, userId, serviceAccountId } = body;
  if (email === undefined && userId === undefined && serviceAccountId === undefined) return undefined;
  for (let index = 0; index < ledger.actors; index++) {
    const actor = ledger.actor(index);
    if (
      isPerson(actor) ? actor.email === email || actor.userId === userId : actor.serviceAccountId === serviceAccountId
    )
      return index;
  }
  return null;
}

const asCents = (microcents: number) => microcents / 1_000_000;

function eventRow(event: UsageEvent): object {
  const { actor, tokens } = event;
  return {
    timestamp: String(event.at),
    ...(event.isAnonymous ? {} : { userEmail: actor.email }),
    ...(event.conversationId ? { conversationId: event.conversationId } : {}),
    model: event.model,
    kind: event.kind,
    maxMode: event.isMaxMode,
    requestsCosts: event.requestTenths / 10,
    isTokenBasedCall: tokens !== undefined,
    isChargeable: event.isChargeable,
    isHeadless: event.isHeadless,
    ...(tokens
      ? {
          tokenUsage: {
            inputTokens: tokens.input,
            outputTokens: tokens.output,
            cacheWriteTokens: tokens.cacheWrite,
            cacheReadTokens: tokens.cacheRead,
            totalCents: asCents(event.totalMicrocents ?? 0),
            ...(event.discountPercent ? { discountPercentOff: event.discountPercent } : {}),
          },
        }
      : {}),
    ...(event.chargedMicrocents === undefined ? {} : { chargedCents: asCents(event.chargedMicrocents) }),
    ...(event.feeMicrocents === undefined ? {} : { cursorTokenFee: asCents(event.feeMicrocents) }),
    ...(isPerson(actor) ? {} : { serviceAccountId: actor.serviceAccountId, serviceAccountName: actor.name }),
  };
}

/**
 * `POST /teams/spend`: the current billing cycle, which is the month. The response does not contain the page number.
 */
export function spend({ body, ledger, oldest, kinds }: Asked): object {
  const { page, pageSize } = paging({ page: body.page, pageSize: body.pageSize }, { usual: 100, most: 1000 });
  const cycle = cycleOf(ledger.today);
  const found = findActors(ledger, typeof body.searchTerm === 'string' ? body.searchTerm.toLowerCase() : undefined);
  if (body.sortBy === 'amount') {
    const spent = new Map(found.map((index) => [index, spendOf(index).overallSpendCents]));
    found.sort((a, b) => spent.get(b)! - spent.get(a)!);
  }
  if (body.sortDirection === 'desc' && body.sortBy !== 'amount') found.reverse();

  function spendOf(index: number) {
    let [charged, all] = [0, 0];
    const from = cycle > oldest ? cycle : oldest;
    for (const event of ledger.eventsBetween(startOf(from), Infinity, { actor: index })) {
      all += event.chargedMicrocents ?? 0;
      if (event.isChargeable) charged += event.chargedMicrocents ?? 0;
    }
    return { spendCents: asCents(charged), overallSpendCents: asCents(all), fastPremiumRequests: 0 };
  }
  function* list() {
    for (const index of found.slice((page - 1) * pageSize, page * pageSize)) {
      const actor = ledger.actor(index);
      const [userId, role] = isPerson(actor) ? [actor.id, actor.role] : [actor.serviceAccountId, 'member'];
      yield { userId, ...spendOf(index), name: actor.name, email: actor.email, role, hardLimitOverrideDollars: 0 };
    }
  }
  return {
    teamMemberSpend: rows(list(), kinds),
    subscriptionCycleStart: startOf(cycle),
    totalMembers: found.length,
    totalPages: Math.max(1, Math.ceil(found.length / pageSize)),
  };
}

function findActors(ledger: Asked['ledger'], term: string | undefined): number[] {
  const all = Array.from({ length: ledger.actors }, (_, index) => index);
  if (!term) return all;
  const matches = ({ name, email }: Actor) => name.toLowerCase().includes(term) || email.includes(term);
  return all.filter((index) => matches(ledger.actor(index)));
}

const cycleOf = (day: Day): Day => `${day.slice(0, 7)}-01`;

/** `GET /teams/groups`: billing groups with their spend per day of the cycle. */
export function billingGroups({ ledger, query, oldest }: Asked): object {
  const cycle = cycleOf(query.get('billingCycle') ?? ledger.today);
  const next = cycleOf(dayOf(startOf(cycle) + 32 * 86_400_000));
  const days = daysBetween(cycle > oldest ? cycle : oldest, ledger.today).filter((day) => day < next);
  return {
    groups: groups.map((group) => groupRow(ledger, group, days)),
    unassignedGroup: { id: 'group_unassigned', name: 'Unassigned', type: 'BILLING', memberCount: 0, spendCents: 0 },
    billingCycle: { cycleStart: `${cycle}T00:00:00.000Z`, cycleEnd: `${next}T00:00:00.000Z` },
  };
}

/** `GET /teams/groups/:id` */
export function billingGroup(asked: Asked): object {
  const { groups: all, billingCycle } = billingGroups(asked) as { groups: { id: string }[]; billingCycle: object };
  const group = all.find(({ id }) => asked.path.endsWith(`/${id}`));
  if (!group) throw notFound();
  return { group, billingCycle };
}

function groupRow(ledger: Asked['ledger'], group: Group, days: Day[]): object {
  if (ledger.people > 2000) throw badRequest('This simulator tells of groups in teams of up to 2,000');
  const inside = Array.from({ length: ledger.people }, (_, index) => ledger.person(index)).filter(
    (person) => person.group.id === group.id,
  );
  const members = inside.map((person) => {
    const dailySpend = days.map((date) => ({ date, spendCents: asCents(spentOn(ledger, date, person.index)) }));
    return { userId: person.id, name: person.name, email: person.email, leftAt: null, dailySpend };
  });
  const dailySpend = days.map((date) => {
    const spent = inside.reduce((sum, { index }) => sum + spentOn(ledger, date, index), 0);
    return { date, spendCents: asCents(spent) };
  });
  return {
    ...group,
    type: 'BILLING',
    memberCount: inside.length,
    currentMembers: members,
    formerMembers: [],
    dailySpend,
  };
}

function spentOn(ledger: Asked['ledger'], day: Day, actor: number): number {
  let spent = 0;
  for (const event of ledger.eventsBetween(startOf(day), startOf(day) + 86_399_999, { actor }))
    if (event.isChargeable) spent += event.chargedMicrocents ?? 0;
  return spent;
}

function* rows(list: Iterable<object>, kinds: Asked['kinds']): Generator<object> {
  const bend = bent(kinds);
  let place = 0;
  for (const row of list) yield bend ? bend(row as Record<string, unknown>, place++) : row;
}
