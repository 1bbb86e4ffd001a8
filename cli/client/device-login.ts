import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import type { Tokens } from './login-store.js';
import { fetchFrom, readJson } from './server-client.js';

/* OAuth 2.0 device authorization (RFC 8628) with the built-in client of the command line. */

const clientId = 'countersign-cli';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const tokenPath = '/oauth2/token';

export interface StartedLogin {
  device_code: string;
  user_code: string;
  /** The page on which the person enters the code. */
  verification_uri: string;
  expires_in: number;
  interval: number;
}

interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** An OAuth error, or a problem of the server. All fields are missing if a proxy answered. */
interface ErrorBody {
  error?: string;
  error_description?: string;
  code?: string;
  detail?: string;
}

export async function startLogin(baseUrl: string, { isReadOnly }: { isReadOnly: boolean }): Promise<StartedLogin> {
  const scope = isReadOnly ? 'api:read' : 'api:write';
  const response = await post(baseUrl, '/oauth2/device_authorization', { scope });
  if (!response.ok) throw await refused(response);
  return readJson<StartedLogin>(response, baseUrl);
}

/** Resolves after the person has entered the code. */
export async function awaitTokens(
  baseUrl: string,
  { device_code, interval, expires_in }: StartedLogin,
): Promise<Tokens> {
  const deadline = Date.now() + expires_in * 1000;
  for (let seconds = interval; Date.now() < deadline;) {
    await sleep(seconds * 1000);
    const response = await post(baseUrl, tokenPath, { grant_type: deviceGrant, device_code });
    if (response.ok) return toTokens(await readJson(response, baseUrl));
    const { error } = await errorOf(response.clone());
    if (error === 'slow_down') seconds += 5;
    else if (error === 'access_denied')
      throw new CommandError(exitCodes.unauthenticated, 'declined', 'The connection was declined in the browser.');
    else if (error === 'expired_token') break;
    else if (error !== 'authorization_pending') throw await refused(response);
  }
  throw new CommandError(
    exitCodes.unauthenticated,
    'code-expired',
    'Nobody entered the code in time. Run "countersign login" again.',
  );
}

/** Null: the sign-in has ended. */
export async function refreshTokens(baseUrl: string, refreshToken: string): Promise<Tokens | null> {
  const response = await post(baseUrl, tokenPath, { grant_type: 'refresh_token', refresh_token: refreshToken });
  if (response.ok) return toTokens(await readJson(response, baseUrl));
  const { error } = await errorOf(response.clone());
  if (error === 'invalid_grant') return null;
  throw await refused(response);
}

/** Ends the whole sign-in of this device. */
export async function revokeLogin(baseUrl: string, refreshToken: string): Promise<void> {
  const response = await post(baseUrl, '/oauth2/revoke', { token: refreshToken });
  if (!response.ok) throw await refused(response);
}

const post = (baseUrl: string, path: string, fields: Record<string, string>): Promise<Response> =>
  fetchFrom(baseUrl, path, { method: 'POST', body: new URLSearchParams({ client_id: clientId, ...fields }) });

const toTokens = ({ access_token, refresh_token, expires_in }: TokenResponse): Tokens => ({
  accessToken: access_token,
  refreshToken: refresh_token,
  expiresAt: Date.now() + expires_in * 1000,
});

const errorOf = (response: Response): Promise<ErrorBody> =>
  response.json().then(
    (body) => (body ?? {}) as ErrorBody,
    () => ({}),
  );

async function refused(response: Response): Promise<CommandError> {
  const body = await errorOf(response);
  const message = body.error_description ?? body.detail ?? `The server answered with status ${response.status}.`;
  const isUnavailable = response.status >= 500 || response.status === 429;
  return new CommandError(
    isUnavailable ? exitCodes.unavailable : exitCodes.unauthenticated,
    body.error ?? body.code ?? `http-${response.status}`,
    message,
  );
}
