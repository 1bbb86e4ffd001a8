import type { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { type VendorErrorCode, VendorError } from '../vendor.js';
import type { CursorEndpoint } from './endpoints.js';

const createKeyHint =
  'Ask a team administrator to create a team key with the scope admin:* (cursor.com/dashboard/api), and enter it here.';

const errorMessages: Record<VendorErrorCode, (endpoint: CursorEndpoint, more?: string) => string> = {
  invalid_key: () => `Cursor does not accept this key: it was revoked or not copied completely. ${createKeyHint}`,
  not_team_admin_key: () =>
    `This key belongs to a member or an organization, not to the team. Cursor rejects such keys here, regardless of the scope in its dashboard. ${createKeyHint}`,
  missing_scope: ({ label }) =>
    `Cursor accepts the key, but the key has no permission to read ${label}. ${createKeyHint}`,
  plan_not_enterprise: ({ label }) =>
    `Cursor provides ${label} only on its Enterprise plan. The key is valid. Contact Cursor about your plan if you need this data.`,
  rate_limited: ({ label }) =>
    `Cursor’s rate limit for ${label} is reached for your team. The request will be retried later. Other tools that use a key of the same team share this limit.`,
  vendor_unavailable: ({ label }, more) =>
    `Cursor could not return ${label}${more ? ` (${more})` : ''}. The request will be retried later. Check status.cursor.com for outages.`,
  network: (_, more) =>
    `Cursor could not be reached: ${more ?? 'the connection was closed'}. Ask the operator to check whether this server can reach the address (CURSOR_URL).`,
  unexpected_answer: ({ label }, more) =>
    `The response with ${label} does not match Cursor’s documentation${more ? `: ${more}` : ''}. If this persists, ask the operator to check CURSOR_URL and any proxy between this server and Cursor, and to report the problem.`,
};

export const cursorError = (
  code: VendorErrorCode,
  endpoint: CursorEndpoint,
  more?: string,
  retryAfter?: Date,
): VendorError => new VendorError(code, errorMessages[code](endpoint, more), retryAfter, more);

/** For a list that changed during every read pass. */
export const unstableListError = ({ label }: CursorEndpoint): VendorError =>
  new VendorError(
    'unexpected_answer',
    `Cursor’s list with ${label} kept changing while it was read, so it may be incomplete. The sync will retry it later.`,
  );

/** Classifies an error response. Neither the status nor the text is sufficient on its own. */
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

/** Cursor reports a missing plan with 401 or 403, and a member key as if it did not exist. */
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

/** Prefers `message`, because `error` only repeats the status. Never shown to people: the text may echo the request. */
function errorTextOf(body: string): string {
  try {
    const { message, error } = JSON.parse(body) as { message?: unknown; error?: unknown };
    const words = typeof message === 'string' ? message : error;
    return typeof words === 'string' ? words.toLowerCase() : '';
  } catch {
    return '';
  }
}

/** Classifies a request without a response. */
export function cursorNetworkError(endpoint: CursorEndpoint, error: OutboundHttpError): VendorError {
  const { code, message } = error;
  if (code === 'too-large' || code === 'redirect-refused') return cursorError('unexpected_answer', endpoint, message);
  if (code === 'timed-out' && error.isSent) return cursorError('vendor_unavailable', endpoint, message);
  return cursorError('network', endpoint, message);
}
