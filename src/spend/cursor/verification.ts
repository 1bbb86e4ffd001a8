import { plusDays, startOfDay, today } from '../../platform/time/day.js';
import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { type VendorErrorCode, VendorError } from '../vendor.js';
import type { CursorApi, CursorRequest } from './cursor-api.js';
import { type CursorEndpoint, cursorEndpoints } from './endpoints.js';
import { isPlainObject } from './parse-response.js';
import { cursorError } from './cursor-errors.js';
import { endOfDay } from './utc-day.js';

interface VerificationProbe {
  endpoint: CursorEndpoint;
  request: CursorRequest;
  /** The list in a valid response. */
  list: string;
  /** Without it, no sync is possible. */
  isRequired: boolean;
}

interface ProbeFailure {
  probe: VerificationProbe;
  error: VendorError;
}

/** Requests one row of yesterday from each endpoint that a sync uses. All requests only read. */
export async function verifyCursor(api: CursorApi, context: ConnectionContext): Promise<Verification> {
  const all = probes(plusDays(today(), -1));
  const failures = (await Promise.all(all.map((probe) => runProbe(api, context, probe)))).filter(
    (each) => each !== null,
  );
  if (!failures.length) return { status: 'connected' };
  const isKeyValid = failures.length < all.length;
  const fatal = failures.filter(({ probe, error }) => probe.isRequired && !(isKeyValid && error.isTransient));
  if (fatal.length) return { status: 'failed', reason: reasonOf(fatal) };
  // Nobody has to act on a plan that does not include an optional API, so it is a note and not a limitation.
  const isOnlyPlan = failures.every(({ error }) => error.code === 'plan_not_enterprise');
  return { status: isOnlyPlan ? 'connected' : 'limited', reason: reasonOf(failures) };
}

const probes = (day: string): VerificationProbe[] => {
  const window = { startDate: startOfDay(day), endDate: endOfDay(day), page: 1, pageSize: 1 };
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
    const isValid = Array.isArray(answer[list]) || (endpoint === cursorEndpoints.mcpUse && isPlainObject(answer[list]));
    return isValid
      ? null
      : { probe, error: cursorError('unexpected_answer', endpoint, `the list "${list}" is missing`) };
  } catch (error) {
    if (error instanceof VendorError) return { probe, error };
    throw error;
  }
}

/** Problems with the key itself come first. */
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
/** If one of these occurs, the others are not reported. */
const affectsAllProbes: ReadonlySet<VendorErrorCode> = new Set(['not_team_admin_key', 'invalid_key', 'network']);

/** A sentence for each code. The documentation explains the codes. */
function reasonOf(failures: ProbeFailure[]): string {
  const codes = codesBySeverity.filter((code) => failures.some(({ error }) => error.code === code));
  const reported = affectsAllProbes.has(codes[0]) ? codes.slice(0, 1) : codes;
  return reported
    .map((code) => `${sentenceOf(failures.filter(({ error }) => error.code === code))} (${code})`)
    .join(' ');
}

function sentenceOf(failures: ProbeFailure[]): string {
  const [{ error: first, probe }] = failures;
  if (failures.length === 1 || affectsAllProbes.has(first.code)) return first.message;
  const label = lists.format(failures.map((each) => each.probe.endpoint.label));
  const isSame = failures.every((each) => each.error.detail === first.detail);
  return cursorError(first.code, { ...probe.endpoint, label }, isSame ? first.detail : undefined).message;
}

const lists = new Intl.ListFormat('en', { type: 'conjunction' });
