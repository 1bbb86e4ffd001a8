import { type Browser, formsOf } from './browser.js';
import type { SoftPasskey } from './soft-passkey.js';

export interface PasskeyOptions {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
  allowCredentials?: { id: string }[];
  authenticatorSelection?: object;
  userVerification?: string;
}

/** The WebAuthn options on the page. */
export async function optionsOn(page: Response) {
  const text = await page.text();
  const found = /data-options="([^"]+)"/.exec(text);
  if (!found) throw new Error(`no passkey is asked for: ${page.status} ${text}`);
  const options = JSON.parse(found[1].replaceAll('&quot;', '"').replaceAll('&#39;', "'")) as PasskeyOptions;
  const form = formsOf(text).find(({ hidden }) => 'credential' in hidden)!;
  return { options, form };
}

export async function registerPasskey(
  browser: Browser,
  key: SoftPasskey,
  { name = 'Laptop', spoil = (text: string) => text } = {},
): Promise<Response> {
  const { options, form } = await optionsOn(await browser.fetch('/account/ways-in'));
  const credential = spoil(JSON.stringify(key.create(options)));
  return browser.post(form.action, { ...form.hidden, name, credential });
}
