import { CommandError } from '../command-error.js';
import { environment } from '../environment.js';
import { exitCodes } from '../exit-codes.js';
import { refreshTokens } from './device-login.js';
import { loginStore, type Tokens } from './login-store.js';
import { serverAddress } from './server-address.js';
import { ServerClient } from './server-client.js';

/** A token that expires sooner is refreshed before it is used. */
const minTokenLifeMs = 20_000;

/** The server of `--server`, of COUNTERSIGN_URL, or of the last login. */
export async function resolveServer(option: string | undefined): Promise<string> {
  const typed = option ?? environment.server();
  if (typed) return serverAddress(typed);
  const current = await loginStore.currentServer();
  if (!current) throw notSignedIn('You are not signed in. Run "countersign login <address of your server>".');
  return current;
}

/** With the token of COUNTERSIGN_TOKEN, else with that of the stored login, which is refreshed when needed. */
export async function signedInClient(option: string | undefined): Promise<ServerClient> {
  const baseUrl = await resolveServer(option);
  const ownToken = environment.token();
  if (ownToken) return new ServerClient({ baseUrl, token: ownToken, tokenSource: 'COUNTERSIGN_TOKEN' });
  const tokens = await loginStore.tokens(baseUrl);
  if (!tokens) throw notSignedIn(`You are not signed in at ${baseUrl}. Run "countersign login ${baseUrl}".`);
  const renew = (refusedToken: string) => renewToken(baseUrl, refusedToken);
  const isFresh = tokens.expiresAt - Date.now() > minTokenLifeMs;
  const token = isFresh ? tokens.accessToken : await renew(tokens.accessToken);
  if (!token) throw signInEnded(baseUrl);
  return new ServerClient({ baseUrl, token, renew });
}

/**
 * The refresh token is valid once. Of several commands that need a new token, the first one gets it, and the others
 * find it in the store. Null: the sign-in has ended.
 */
function renewToken(baseUrl: string, refusedToken: string): Promise<string | null> {
  return loginStore.locked(async () => {
    const stored = await loginStore.tokens(baseUrl);
    if (!stored) return null;
    if (stored.accessToken !== refusedToken) return stored.accessToken;
    const renewed = await loginStore.renewTokens(baseUrl, () => requireTokens(baseUrl, stored));
    return renewed.accessToken;
  });
}

async function requireTokens(baseUrl: string, { refreshToken }: Tokens): Promise<Tokens> {
  const tokens = await refreshTokens(baseUrl, refreshToken);
  if (!tokens) throw signInEnded(baseUrl);
  return tokens;
}

const signInEnded = (baseUrl: string): CommandError =>
  notSignedIn(`Your sign-in at ${baseUrl} has expired or was revoked. Run "countersign login ${baseUrl}".`);

const notSignedIn = (message: string): CommandError =>
  new CommandError(exitCodes.unauthenticated, 'not-signed-in', message);
