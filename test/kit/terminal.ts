import type { Browser } from './browser.js';
import { approveTerminal } from './command-line.js';
import type { OauthTokens } from './product.js';

const client_id = 'countersign-cli';

/** A terminal that the person in this browser authorized by entering its code. */
export async function aTerminal(url: string, browser: Browser, scope?: 'api:write'): Promise<OauthTokens> {
  const begun = await post<{ device_code: string; user_code: string }>(
    `${url}/oauth2/device_authorization`,
    scope ? { scope } : {},
  );
  await approveTerminal(browser, begun.user_code);
  return post<OauthTokens>(`${url}/oauth2/token`, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun.device_code,
  });
}

export const refreshTerminal = (url: string, refreshToken: string): Promise<OauthTokens> =>
  post<OauthTokens>(`${url}/oauth2/token`, { grant_type: 'refresh_token', refresh_token: refreshToken });

async function post<T>(address: string, fields: Record<string, string>): Promise<T> {
  const response = await fetch(address, { method: 'POST', body: new URLSearchParams({ client_id, ...fields }) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
