import { readFileSync } from 'node:fs';
import { sha256 } from '../../platform/crypto/digest.js';
import { html, type Html, type PageContent } from '../../platform/http/page.js';

/** The only script of these pages: WebAuthn has no API without JavaScript. */
export const passkeyScript = readFileSync(new URL('./passkeys.browser.js', import.meta.url), 'utf8');
export const passkeyScriptUrl = `/assets/passkeys.js?${sha256(passkeyScript).toString('hex').slice(0, 8)}`;

interface PasskeyForm {
  action: string;
  csrf: Html;
  /** The WebAuthn options for the browser, in their JSON form. */
  options: object;
  button: string;
  /** Whether to create a passkey; otherwise an existing one is requested. */
  isNew?: boolean;
  fields?: Html;
}

/** Needs the script of the page. Without it the button stays disabled and the text states why. */
export const passkeyForm = ({ action, csrf, options, button, isNew = false, fields }: PasskeyForm): Html =>
  html`<form
    class="sheet narrow"
    method="post"
    action="${action}"
    data-passkey="${isNew ? 'create' : 'get'}"
    data-options="${JSON.stringify(options)}"
  >
    ${csrf} <input type="hidden" name="credential" value="" /> ${fields}
    <button disabled>${button}</button>
    <p role="status" data-said>Passkeys need JavaScript.</p>
  </form>`;

interface PasskeyPromptState {
  csrf: Html;
  options: object;
}

export const passkeySignInPage = ({ csrf, options, next }: PasskeyPromptState & { next: string }): PageContent => ({
  title: 'Sign in with a passkey',
  script: passkeyScriptUrl,
  body: html`${passkeyForm({ action: '/sign-in/passkey', csrf, options, button: 'Use a passkey' })}
    <p><a class="alone" href="/sign-in?${new URLSearchParams({ next }).toString()}">Use another sign-in method</a></p>`,
});

export const secondFactorPage = ({ csrf, options }: PasskeyPromptState): PageContent => ({
  title: 'Use your passkey',
  script: passkeyScriptUrl,
  body: html`<p>The password is correct. Your account also requires a passkey.</p>
    ${passkeyForm({ action: '/sign-in/passkey', csrf, options, button: 'Use a passkey' })}
    <p>
      <small
        >Lost your passkey? An administrator can create a link that sets a new password and removes your
        passkeys.</small
      >
    </p>`,
});
