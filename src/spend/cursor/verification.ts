import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { type VendorErrorCode, VendorError } from '../vendor.js';
import type { CursorApi, CursorRequest } from './cursor-api.js';
import { type CursorEndpoint, cursorEndpoints } from './endpoints.js';
import { isPlainObject } from './parse-response.js';
import { cursorError } from './cursor-errors.js';
import { utcDayAt, dayMs, utcDayEndMs, utcDayStartMs } from './utc-day.js';

interface VerificationProbe {
  endpoint: CursorEndpoint;
  request: CursorRequest;
  /** What a right answer holds. */
  list: string;
  /** Without it, nothing can be pulled at all. */
  isRequired: boolean;
}

interface ProbeFailure {
  probe: VerificationProbe;
  error: VendorError;
}

/** Asks each interface that will be pulled for one row of yesterday. All of them only read. */
export async function verifyCursor(api: CursorApi, context: ConnectionContext): Promise<Verification> {
  const all = probes(utcDayAt(Date.now() - dayMs));
  const troubles = (await Promise.all(all.map((probe) => runProbe(api, context, probe)))).filter(
    (each) => each !== null,
  );
  if (!troubles.length) return { status: 'connected' };
  const isKeyGood = troubles.length < all.length;
  const fatal = troubles.filter(({ probe, error }) => probe.isRequired && !(isKeyGood && error.isTransient));
  return fatal.length
    ? { status: 'failed', reason: reasonOf(fatal) }
    : { status: 'limited', reason: reasonOf(troubles) };
}

const probes = (day: string): VerificationProbe[] => {
  const window = { startDate: utcDayStartMs(day), endDate: utcDayEndMs(day), page: 1, pageSize: 1 };
  return [
    { endpoint: cursorEndpoints.members, request: {}, list: 'teamMembers', isRequired: true },
    { endpoint: cursorEndpoints.usage, request: { body: window }, list: 'data', isRequired: true },
    { endpoint: cursorEndpoints.events, request: { body: window }, list: 'usageEvents', isRequired: true },
    {
      endpoint: cursorEndpoints.spend,
      request: { body: { page: 1, pageSize: 1 } },
      list: 'teamMemberSpend',
      isRequired: false,
    },
    {
      endpoint: cursorEndpoints.mcpUse,
      request: { query: { startDate: day, endDate: day, page: 1, pageSize: 1 } },
      list: 'data',
      isRequired: false,
    },
  ];
};

async function runProbe(
  api: CursorApi,
  context: ConnectionContext,
  probe: VerificationProbe,
): Promise<ProbeFailure | null> {
  const { endpoint, request, list } = probe;
  try {
    const answer = await api.requestOnce(context, endpoint, request);
    const isRight = Array.isArray(answer[list]) || (endpoint === cursorEndpoints.mcpUse && isPlainObject(answer[list]));
    return isRight ? null : { probe, error: cursorError('unexpected_answer', endpoint, `it has no list "${list}"`) };
  } catch (error) {
    if (error instanceof VendorError) return { probe, error };
    throw error;
  }
}

/** First what is wrong with the key itself. */
const codesBySeverity: VendorErrorCode[] = [
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
const affectsAllProbes: ReadonlySet<VendorErrorCode> = new Set(['not_team_admin_key', 'invalid_key', 'network']);

/** A sentence for each code, under which the documentation explains it. */
function reasonOf(troubles: ProbeFailure[]): string {
  const codes = codesBySeverity.filter((code) => troubles.some(({ error }) => error.code === code));
  const reported = affectsAllProbes.has(codes[0]) ? codes.slice(0, 1) : codes;
  return reported
    .map((code) => `${sentenceOf(troubles.filter(({ error }) => error.code === code))} (${code})`)
    .join(' ');
}

function sentenceOf(troubles: ProbeFailure[]): string {
  const [{ error: first, probe }] = troubles;
  if (troubles.length === 1 || affectsAllProbes.has(first.code)) return first.message;
  const gives = lists.format(troubles.map((each) => each.probe.endpoint.label));
  const isSame = troubles.every((each) => each.error.detail === first.detail);
  return cursorError(first.code, { ...probe.endpoint, label: gives }, isSame ? first.detail : undefined).message;
}

const lists = new Intl.ListFormat('en', { type: 'conjunction' });
