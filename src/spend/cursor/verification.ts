import type { ConnectionContext, Verification } from '../../connections/connection-kinds.service.js';
import { type TroubleCode, VendorTrouble } from '../vendor.js';
import type { CursorApi, Question } from './cursor-api.js';
import { type Endpoint, endpoints } from './endpoints.js';
import { isObject } from './parse-answer.js';
import { trouble } from './refusals.js';
import { dayAt, dayMs, endOf, startOf } from './utc-day.js';

interface Probe {
  endpoint: Endpoint;
  question: Question;
  /** What a right answer holds. */
  list: string;
  /** Without it, nothing can be pulled at all. */
  isNeeded: boolean;
}

interface Found {
  probe: Probe;
  trouble: VendorTrouble | null;
}

/** Asks each interface that will be pulled for one row of yesterday. All of them only read. */
export async function verify(api: CursorApi, context: ConnectionContext): Promise<Verification> {
  const found = await Promise.all(probes(dayAt(Date.now() - dayMs)).map((probe) => tried(api, context, probe)));
  const troubles = found.filter((each) => each.trouble !== null);
  if (!troubles.length) return { status: 'connected' };
  const isKeyGood = troubles.length < found.length;
  const fatal = troubles.filter(({ probe, trouble }) => probe.isNeeded && !(isKeyGood && trouble!.isPassing));
  const shown = fatal.length ? fatal : troubles;
  return { status: fatal.length ? 'failed' : 'limited', reason: reasonOf(shown.map((each) => each.trouble!)) };
}

const probes = (day: string): Probe[] => {
  const window = { startDate: startOf(day), endDate: endOf(day), page: 1, pageSize: 1 };
  return [
    { endpoint: endpoints.members, question: {}, list: 'teamMembers', isNeeded: true },
    { endpoint: endpoints.usage, question: { body: window }, list: 'data', isNeeded: true },
    { endpoint: endpoints.events, question: { body: window }, list: 'usageEvents', isNeeded: true },
    {
      endpoint: endpoints.spend,
      question: { body: { page: 1, pageSize: 1 } },
      list: 'teamMemberSpend',
      isNeeded: false,
    },
    {
      endpoint: endpoints.mcpUse,
      question: { query: { startDate: day, endDate: day, page: 1, pageSize: 1 } },
      list: 'data',
      isNeeded: false,
    },
  ];
};

async function tried(api: CursorApi, context: ConnectionContext, probe: Probe): Promise<Found> {
  const { endpoint, question, list } = probe;
  try {
    const answer = await api.tryOnce(context, endpoint, question);
    const isRight = Array.isArray(answer[list]) || (endpoint === endpoints.mcpUse && isObject(answer[list]));
    return { probe, trouble: isRight ? null : trouble('unexpected_answer', endpoint, `it has no list "${list}"`) };
  } catch (error) {
    if (error instanceof VendorTrouble) return { probe, trouble: error };
    throw error;
  }
}

/** First what is wrong with the key itself: the rest follows from it. */
const gravest: TroubleCode[] = [
  'not_team_admin_key',
  'invalid_key',
  'missing_scope',
  'plan_not_enterprise',
  'network',
  'unexpected_answer',
  'vendor_unavailable',
  'rate_limited',
];

/** Each sentence once, with the code under which the documentation explains it. */
function reasonOf(troubles: VendorTrouble[]): string {
  const sorted = troubles.toSorted((a, b) => gravest.indexOf(a.code) - gravest.indexOf(b.code));
  const isKey = ['not_team_admin_key', 'invalid_key', 'network'].includes(sorted[0].code);
  const told = isKey ? sorted.slice(0, 1) : sorted;
  return [...new Set(told.map(({ message, code }) => `${message} (${code})`))].join(' ');
}
