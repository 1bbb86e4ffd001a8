import type { Browser } from './browser.js';
import type { OauthTokens } from './product.js';

const client_id = 'countersign-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

/** A terminal that the person in this browser authorized by entering its code. */
export async function aTerminal(url: string, browser: Browser, scope?: 'api:write'): Promise<OauthTokens> {
  const post = async <T>(path: string, fields: Record<string, string>) => {
    const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams({ client_id, ...fields }) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const begun = await post<{ device_code: string; user_code: string }>(
    '/oauth2/device_authorization',
    scope ? { scope } : {},
  );
  const code = begun.user_code;
  const page = await (await browser.submit('/device', { code })).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
  await browser.post('/device/decision', { csrf, code, decision: 'approve' });
  return post<OauthTokens>('/oauth2/token', { grant_type, device_code: begun.device_code });
}
