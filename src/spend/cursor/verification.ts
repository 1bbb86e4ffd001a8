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

interface Trouble {
  probe: Probe;
  trouble: VendorTrouble;
}

/** Asks each interface that will be pulled for one row of yesterday. All of them only read. */
export async function verify(api: CursorApi, context: ConnectionContext): Promise<Verification> {
  const all = probes(dayAt(Date.now() - dayMs));
  const troubles = (await Promise.all(all.map((probe) => tried(api, context, probe)))).filter((each) => each !== null);
  if (!troubles.length) return { status: 'connected' };
  const isKeyGood = troubles.length < all.length;
  const fatal = troubles.filter(({ probe, trouble }) => probe.isNeeded && !(isKeyGood && trouble.isPassing));
  return fatal.length
    ? { status: 'failed', reason: reasonOf(fatal) }
    : { status: 'limited', reason: reasonOf(troubles) };
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

async function tried(api: CursorApi, context: ConnectionContext, probe: Probe): Promise<Trouble | null> {
  const { endpoint, question, list } = probe;
  try {
    const answer = await api.tryOnce(context, endpoint, question);
    const isRight = Array.isArray(answer[list]) || (endpoint === endpoints.mcpUse && isObject(answer[list]));
    return isRight ? null : { probe, trouble: trouble('unexpected_answer', endpoint, `it has no list "${list}"`) };
  } catch (error) {
    if (error instanceof VendorTrouble) return { probe, trouble: error };
    throw error;
  }
}

/** First what is wrong with the key itself. */
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
/** Then nothing else needs to be said. */
const isAboutAll: ReadonlySet<TroubleCode> = new Set(['not_team_admin_key', 'invalid_key', 'network']);

/** A sentence for each code, under which the documentation explains it. */
function reasonOf(troubles: Trouble[]): string {
  const codes = gravest.filter((code) => troubles.some(({ trouble }) => trouble.code === code));
  const told = isAboutAll.has(codes[0]) ? codes.slice(0, 1) : codes;
  return told
    .map((code) => `${sentenceOf(troubles.filter(({ trouble }) => trouble.code === code))} (${code})`)
    .join(' ');
}

function sentenceOf(troubles: Trouble[]): string {
  const [{ trouble: first, probe }] = troubles;
  if (troubles.length === 1 || isAboutAll.has(first.code)) return first.message;
  const gives = lists.format(troubles.map((each) => each.probe.endpoint.gives));
  const isSame = troubles.every((each) => each.trouble.detail === first.detail);
  return trouble(first.code, { ...probe.endpoint, gives }, isSame ? first.detail : undefined).message;
}

const lists = new Intl.ListFormat('en', { type: 'conjunction' });
