import { days, paging } from './asked.ts';
import type { Asked } from './asked.ts';
import { daysBetween } from './ledger/days.ts';
import type { Day } from './ledger/days.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Person } from './ledger/people.ts';

type Metric = (ledger: Ledger, person: Person, day: Day) => object[];

/** `GET /analytics/by-user/…`, by the last part of the path. */
export const byUserMetrics: Record<string, Metric> = {
  mcp: (ledger, { index }, day) =>
    ledger.mcpUse(day, index).map(({ server, tool, calls }) => ({
      event_date: day,
      tool_name: tool,
      mcp_server_name: server,
      usage: calls,
    })),
  'client-versions': (ledger, { index }, day) => {
    const { clientVersion } = ledger.day(day, index);
    return clientVersion ? [{ event_date: day, client_version: clientVersion, user_count: 1, percentage: 1 }] : [];
  },
  models: (ledger, { index }, day) => {
    const usage = ledger.day(day, index);
    if (!usage.mostUsedModel) return [];
    const messages = usage.composerRequests + usage.chatRequests + usage.agentRequests;
    return [{ date: day, model_breakdown: { [usage.mostUsedModel]: { messages, users: 1 } } }];
  },
  tabs: (ledger, { index }, day) => {
    const usage = ledger.day(day, index);
    if (!usage.totalTabsShown) return [];
    const [total_suggestions, total_accepts] = [usage.totalTabsShown, usage.totalTabsAccepted];
    return [{ event_date: day, total_suggestions, total_accepts, total_rejects: total_suggestions - total_accepts }];
  },
};

/** A page is a number of users, without users that have no data in the period. */
export function byUser(asked: Asked, metric: string): object {
  const { ledger, query } = asked;
  const { startDate, endDate, from } = days(asked);
  const { page, pageSize, skip } = paging(
    { page: query.get('page'), pageSize: query.get('pageSize') },
    { usual: 100, most: 500 },
  );
  const only = query.get('users')?.split(',');
  const users = Array.from({ length: ledger.people }, (_, index) => index).filter((index) => {
    if (!only) return !ledger.hasLeft(index);
    const { email, id } = ledger.person(index);
    return only.includes(email) || only.includes(id);
  });
  const found = users.slice(skip, skip + pageSize).flatMap((index) => {
    const person = ledger.person(index);
    const rows = daysBetween(from, endDate).flatMap((day) => byUserMetrics[metric](ledger, person, day));
    return rows.length ? [{ person, rows }] : [];
  });
  const totalUsers = users.length;
  const totalPages = Math.max(1, Math.ceil(totalUsers / pageSize));
  return {
    data: Object.fromEntries(found.map(({ person, rows }) => [person.email, rows])),
    pagination: { page, pageSize, totalUsers, totalPages, hasNextPage: page < totalPages, hasPreviousPage: page > 1 },
    params: {
      metric,
      teamId: 7310,
      startDate,
      endDate,
      page,
      pageSize,
      userMappings: found.map(({ person: { id, email } }) => ({ id, email })),
    },
  };
}

/** `GET /analytics/team/dau` */
export function dailyActiveUsers(asked: Asked): object {
  const { startDate, endDate, from } = days(asked);
  const { ledger } = asked;
  const data = daysBetween(from, endDate).map((date) => {
    let dau = 0;
    for (let index = 0; index < ledger.people; index++) if (ledger.day(date, index).isActive) dau++;
    return { date, dau, cli_dau: 0, cloud_agent_dau: 0, bugbot_dau: 0 };
  });
  return { data, params: { metric: 'dau', teamId: 7310, startDate, endDate } };
}
