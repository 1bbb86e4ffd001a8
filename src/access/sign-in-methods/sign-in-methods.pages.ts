import { field, html, type Html, notice, type PageContent } from '../../platform/http/page.js';
import type { Problem } from '../../platform/errors/problem.js';
import { dayOf } from '../../platform/time/day.js';
import { hidden } from '../access.pages.js';
import { passkeyForm, passkeyScriptUrl } from '../passkeys/passkeys.pages.js';
import type { Passkey } from '../passkey.entity.js';
import type { Identity } from '../identity.entity.js';
import type { SignInProvider } from '../providers/sign-in-provider.entity.js';
import type { MemberSignInMethods } from '../member-sign-in-methods.js';

type Provider = Pick<SignInProvider, 'id' | 'name' | 'issuer'>;

interface SignInMethodsState {
  csrf: Html;
  methods: MemberSignInMethods;
  /** Enabled providers. */
  providers: Provider[];
  requiresSecondFactor: boolean;
  /** Whether the person recently confirmed their identity; required for every change. */
  isFresh: boolean;
  /** Whether browsers accept passkeys for this server's address. */
  hasPasskeys: boolean;
  /** The WebAuthn options for a new passkey. */
  registration: object | null;
  problem?: Problem;
}

const basePath = '/account/ways-in';

export function signInMethodsPage(state: SignInMethodsState): PageContent {
  const { methods, problem, isFresh } = state;
  return {
    status: problem?.status ?? 200,
    title: 'Sign-in methods',
    script: state.registration ? passkeyScriptUrl : undefined,
    body: html`${notice(problem?.message)}
      ${!isFresh && html`<p><a class="button" href="/confirm?next=${basePath}">Confirm your identity to change these</a></p>`}
      ${password(state)} ${passkeys(state)} ${identities(state)} ${methods.passkeys.length > 0 && secondFactor(state)}
      <p><a class="alone" href="/account">Your account</a></p>`,
  };
}

const password = ({ csrf, methods, isFresh }: SignInMethodsState): Html =>
  html`<h2>Password</h2>
    <div class="sheet">
      <p>${methods.hasPassword ? 'Set.' : 'Not set. An administrator can create a link to set a password.'}</p>
      ${methods.hasPassword && isFresh && actionForm('/password/remove', csrf, [], 'Remove password', 'bad')}
    </div>`;

const passkeys = ({ csrf, methods, isFresh, hasPasskeys, registration }: SignInMethodsState): Html =>
  html`<h2>Passkeys</h2>
    ${methods.passkeys.map((passkey) => passkeyRow(passkey, csrf, isFresh))}
    ${!methods.passkeys.length && html`<p>No passkeys yet.</p>`}
    ${!hasPasskeys && html`<p>Passkeys do not work at the address of this server. Its operator can change that.</p>`}
    ${
      registration &&
      passkeyForm({
        action: `${basePath}/passkeys`,
        csrf,
        options: registration,
        button: 'Add passkey',
        isNew: true,
        fields: field({
          name: 'name',
          label: 'Name of the new passkey',
          maxLength: 60,
          help: 'For example "Work laptop".',
        }),
      })
    }`;

const passkeyRow = ({ id, name, isSynced, createdAt, usedAt }: Passkey, csrf: Html, isFresh: boolean): Html =>
  html`<div class="sheet">
    <p>
      <strong>${name}</strong><br />
      <small
        >${isSynced ? 'Synced across devices' : 'On one device'}, since ${dayOf(createdAt)},
        ${lastUsedText(usedAt)}</small
      >
    </p>
    ${isFresh && actionForm('/passkeys/remove', csrf, [['passkey', id]], `Remove ${name}`, 'bad')}
  </div>`;

function identities({ csrf, methods, providers, isFresh }: SignInMethodsState): Html {
  const linked = new Set(methods.identities.map(({ issuer }) => issuer));
  const others = providers.filter(({ issuer }) => !linked.has(issuer));
  if (!methods.identities.length && !others.length) return html``;
  return html`<h2>Sign-in providers</h2>
    ${methods.identities.map((identity) => identityRow(identity, providers, csrf, isFresh))}
    ${isFresh && others.map(({ id, name }) => actionForm('/identities/link', csrf, [['provider', id]], `Link ${name}`, 'quiet'))}`;
}

function identityRow(
  { id, issuer, email, linkedAt, usedAt }: Identity,
  providers: Provider[],
  csrf: Html,
  isFresh: boolean,
): Html {
  const name = providers.find((provider) => provider.issuer === issuer)?.name;
  return html`<div class="sheet">
    <p>
      <strong>${name ?? issuer}</strong>${!name && ' (provider disabled or removed)'}: ${email}<br />
      <small>Linked on ${dayOf(linkedAt)}, ${lastUsedText(usedAt)}</small>
    </p>
    ${isFresh && actionForm('/identities/unlink', csrf, [['identity', id]], `Unlink ${name ?? issuer}`, 'bad')}
  </div>`;
}

const secondFactor = ({ csrf, methods, requiresSecondFactor, isFresh }: SignInMethodsState): Html =>
  html`<h2>Password and passkey</h2>
    <div class="sheet">
      ${
        requiresSecondFactor
          ? html`<p>Your organization requires a passkey after the password.</p>`
          : html`<p>
                ${methods.wantsSecondFactor ? 'You sign in with your password and a passkey.' : 'You sign in with your password only.'}
              </p>
              ${isFresh && actionForm('/second-factor', csrf, [['wanted', methods.wantsSecondFactor ? 'no' : 'yes']], methods.wantsSecondFactor ? 'Stop requiring a passkey' : 'Require a passkey, too', 'quiet')}`
      }
    </div>`;

const actionForm = (
  path: string,
  csrf: Html,
  fields: [string, string][],
  button: string,
  look: 'bad' | 'quiet',
): Html =>
  html`<form method="post" action="${basePath}${path}">
    ${csrf} ${fields.map(([name, value]) => hidden(name, value))}
    <button class="${look}">${button}</button>
  </form>`;

const lastUsedText = (at: Date | null) => (at ? `last used on ${dayOf(at)}` : 'not used yet');

/**
 * Forwards from our form to the provider, because the Content-Security-Policy allows forms to lead to our own pages
 * only.
 */
export const providerRedirectPage = ({ name }: Provider, url: URL): PageContent => ({
  title: `Continue to ${name}`,
  redirectTo: url.href,
  body: html`<p><a class="button" href="${url.href}">Continue to ${url.host}</a></p>`,
});

interface ConfirmState {
  csrf: Html;
  next: string;
  hasPassword: boolean;
  /** The WebAuthn options; null if the person has no passkey. */
  options: object | null;
  /** Providers at which the person has a linked identity. */
  providers: Provider[];
  problem?: Problem;
}

export const confirmPage = ({ csrf, next, hasPassword, options, providers, problem }: ConfirmState): PageContent => ({
  status: problem?.status ?? 200,
  title: 'Confirm your identity',
  script: options ? passkeyScriptUrl : undefined,
  body: html`${notice(problem?.message)}
    <p>The next step requires that you confirm your identity. The confirmation is valid for ten minutes.</p>
    ${
      hasPassword &&
      html`<form class="sheet narrow" method="post" action="/confirm">
        ${csrf} ${hidden('next', next)}
        ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
        <button>Confirm</button>
      </form>`
    }
    ${options && passkeyForm({ action: '/confirm/passkey', csrf, options, button: 'Use a passkey' })}
    ${providers.map(
      ({ id, name }) =>
        html`<form method="post" action="/confirm/provider">
          ${csrf} ${hidden('next', next)} ${hidden('provider', id)}
          <button class="quiet">Sign in with ${name} again</button>
        </form>`,
    )}
    ${!hasPassword && !options && !providers.length && html`<p>You have no sign-in method to confirm your identity with. Ask an administrator for a link to set a password.</p>`}`,
});
