import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { SourceRequestError, type SourceRequestFault } from '../source-kit/source-request.error.js';
import type { SlackMethod } from './slack-rate-windows.js';

const faults: Record<string, SourceRequestFault> = {
  not_authed: 'unauthorized',
  invalid_auth: 'unauthorized',
  account_inactive: 'unauthorized',
  token_revoked: 'unauthorized',
  token_expired: 'unauthorized',
  missing_scope: 'forbidden',
  no_permission: 'forbidden',
  not_allowed_token_type: 'forbidden',
  ekm_access_denied: 'forbidden',
  org_login_required: 'forbidden',
  team_access_not_granted: 'forbidden',
  access_denied: 'forbidden',
  channel_not_found: 'missing',
  not_in_channel: 'missing',
  thread_not_found: 'missing',
  message_not_found: 'missing',
  user_not_found: 'missing',
  internal_error: 'unavailable',
  fatal_error: 'unavailable',
  service_unavailable: 'unavailable',
  request_timeout: 'unavailable',
};

const explanations: Record<string, string> = {
  unauthorized:
    'Slack rejects the bot token: it was revoked, or the app was removed from the workspace. Install the app again and save its new bot token in the integration',
  missing_scope:
    'the app lacks a scope. Add it under "OAuth & Permissions", install the app again, and save the new token',
  not_in_channel: 'the app is not in the channel. Invite it there',
  channel_not_found: 'the channel does not exist, or the app was removed from it',
  is_archived: 'the channel is archived',
  msg_too_long: 'the message is too long',
  restricted_action: 'the workspace does not let the app post there',
};

/** Slack rejected a request with `{"ok": false}` and status 200. */
export class SlackRefusal extends SourceRequestError {
  constructor(
    readonly code: string,
    method: SlackMethod,
    needed?: string,
  ) {
    const fault = faults[code] ?? 'refused';
    const why = explanations[code] ?? explanations[fault];
    const scope = needed ? ` (${quoteExternalText(needed, 60)})` : '';
    super(fault, `Slack refused ${method}: ${code}${why ? `: ${why}` : ''}${scope}.`, 200, true);
  }
}

export const isSlackRefusal = (error: unknown, ...codes: string[]): error is SlackRefusal =>
  error instanceof SlackRefusal && codes.includes(error.code);

export const unreadableSlackAnswer = (method: SlackMethod, field: string): SourceRequestError =>
  new SourceRequestError('unreadable', `Slack answered ${method} without a valid ${field || 'body'}.`, 200, true);
