import type { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { type VendorErrorCode, VendorError } from '../vendor.js';
import type { CursorEndpoint } from './endpoints.js';

const createKeyHint =
  'Have a team administrator make a team key with the scope admin:* (cursor.com/dashboard/api), and enter it here.';

const errorMessages: Record<VendorErrorCode, (endpoint: CursorEndpoint, more?: string) => string> = {
  invalid_key: () => `Cursor does not know this key: it was revoked, or not copied as a whole. ${createKeyHint}`,
  not_team_admin_key: () =>
    `This is the key of a member, of one person or of an organization, and not of the team. Cursor refuses such keys here, whatever scope its dashboard shows for them. ${createKeyHint}`,
  missing_scope: ({ label }) => `Cursor knows the key, but the key may not read ${label}. ${createKeyHint}`,
  plan_not_enterprise: ({ label }) =>
    `Cursor shows ${label} to teams on its Enterprise plan only. Nothing is wrong with the key; ask Cursor about the plan if you need it.`,
  rate_limited: ({ label }) =>
    `Cursor takes no more questions about ${label} from your team for now. It is asked again later; if another tool reads with a key of the same team, both share one limit.`,
  vendor_unavailable: ({ label }, more) =>
    `Cursor could not answer about ${label}${more ? ` (${more})` : ''}. It is asked again later; status.cursor.com tells about outages.`,
  network: (_, more) =>
    `Cursor could not be reached: ${more ?? 'the connection broke'}. The operator can check whether this server may reach the address (CURSOR_URL).`,
  unexpected_answer: ({ label }, more) =>
    `What came back about ${label} is not what Cursor documents${more ? `: ${more}` : ''}. If it stays so, the operator can check CURSOR_URL and what stands between this server and Cursor, and report it to us.`,
};

export const cursorError = (
  code: VendorErrorCode,
  endpoint: CursorEndpoint,
  more?: string,
  retryAfter?: Date,
): VendorError => new VendorError(code, errorMessages[code](endpoint, more), retryAfter, more);

/** For a list that moved below each of several readings. */
export const unstableListError = ({ label }: CursorEndpoint): VendorError =>
  new VendorError(
    'unexpected_answer',
    `What Cursor answers about ${label} kept changing while it was read, so that nobody can tell whether it is whole. It is read again later.`,
  );

/** What an answer means that is not a list: neither status nor words say it alone. */
export function cursorResponseError(
  endpoint: CursorEndpoint,
  status: number,
  body: string,
  retryAfter?: Date,
): VendorError {
  return cursorError(codeOf(status, errorTextOf(body)), endpoint, `status ${status}`, retryAfter);
}

function codeOf(status: number, words: string): VendorErrorCode {
  if (status === 429 || /rate limit|too many requests/.test(words)) return 'rate_limited';
  if (status >= 500 || status === 408) return 'vendor_unavailable';
  return codeOfErrorText(words) ?? codeOfStatus(status);
}

/** A plan is refused with 401 as well as with 403, and a key of a member as if it did not exist. */
function codeOfErrorText(words: string): VendorErrorCode | null {
  if (/enterprise/.test(words)) return 'plan_not_enterprise';
  if (/scope|permission|not authorized|not allowed/.test(words)) return 'missing_scope';
  if (/invalid (team|organization) api key|team admin|admin(istrator)? (key|access|required)/.test(words))
    return 'not_team_admin_key';
  return /invalid (api )?key|key (was |has been )?(revoked|expired|disabled)/.test(words) ? 'invalid_key' : null;
}

function codeOfStatus(status: number): VendorErrorCode {
  if (status === 401) return 'invalid_key';
  if (status === 402) return 'plan_not_enterprise';
  return status === 403 ? 'missing_scope' : 'unexpected_answer';
}

/** `message` where there is one: `error` only repeats the status. Never shown: they may repeat what was sent. */
function errorTextOf(body: string): string {
  try {
    const { message, error } = JSON.parse(body) as { message?: unknown; error?: unknown };
    const words = typeof message === 'string' ? message : error;
    return typeof words === 'string' ? words.toLowerCase() : '';
  } catch {
    return '';
  }
}

/** What a request means that got no answer. */
export function cursorNetworkError(endpoint: CursorEndpoint, error: OutboundHttpError): VendorError {
  const { code, message } = error;
  if (code === 'too-large' || code === 'redirect-refused') return cursorError('unexpected_answer', endpoint, message);
  if (code === 'timed-out' && error.isSent) return cursorError('vendor_unavailable', endpoint, message);
  return cursorError('network', endpoint, message);
}
