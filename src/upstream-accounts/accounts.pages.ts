import type { Problem } from '../platform/errors/problem.js';
import { html, notice, type Html, type PageContent, renderMarkedText } from '../platform/http/page.js';
import type { PinnedServer, ServerConfirmation } from './authorization-server-pins.service.js';
import type { AccountView } from './own-accounts.service.js';
import { connectPath } from './paths.js';

interface PageFrame {
  organization: string;
  person: string;
  csrf: Html;
}

interface AccountsState extends PageFrame {
  accounts: AccountView[];
  /** The account that was just connected. */
  justConnected?: AccountView;
}

/** The accounts that a person has connected. */
export const accountsPage = ({ accounts, justConnected, ...around }: AccountsState): PageContent => ({
  title: 'Connected accounts',
  headerContent: pageCorner(around),
  body: html`${
      justConnected &&
      html`<p class="sheet" role="status">
        Your account at ${renderMarkedText(justConnected.name)} is connected. You can close this page and return to
        where you came from.
      </p>`
    }
    <p>
      ${renderMarkedText(around.organization)} uses these accounts in other systems when you ask an assistant or a
      product for something: only for you, and under its policies.
    </p>
    ${accounts.length ? accounts.map((account) => accountSection(account, around.csrf)) : noAccountsNotice}
    <p><a class="alone" href="/account">Your account</a></p>`,
});

const noAccountsNotice = html`<p class="sheet">
  No connected accounts yet. When a request needs one, you get a link to connect it.
</p>`;

function accountSection(account: AccountView, csrf: Html): Html {
  const { connectionId, name, endedReason } = account;
  const heading = `account-${connectionId}`;
  return html`<form
    class="sheet"
    method="post"
    action="/connections/${connectionId}/disconnect"
    aria-labelledby="${heading}"
  >
    <h2 id="${heading}">${renderMarkedText(name)}</h2>
    ${csrf} ${endedReason && endedNotice(endedReason)}
    <dl>${accountFacts(account)}</dl>
    <p class="buttons">
      <a class="button" href="${connectPath(connectionId)}">Reconnect</a>
      <button class="quiet" aria-describedby="${heading}">Disconnect</button>
    </p>
  </form>`;
}

interface ConnectState extends PageFrame {
  account: AccountView;
  /** Whether the person is an administrator, whose account can be used to list tools. */
  isLister: boolean;
  problem?: Problem;
}

/** Shown before a person goes to the other system: what will happen, and why. */
export const connectPage = ({ account, isLister, problem, ...around }: ConnectState): PageContent => ({
  title: `Connect your account at ${account.name}`,
  headerContent: pageCorner(around),
  status: problem?.status,
  body: html`${notice(problem?.message)} ${account.endedReason && endedNotice(account.endedReason)}
    <form class="sheet" method="post" action="${connectPath(account.connectionId)}">
      ${around.csrf}
      <p>
        You will sign in at ${renderMarkedText(account.name)}, choose what it allows, and return here.
        ${renderMarkedText(around.organization)} never sees your password.
      </p>
      <dl>
        <dt>Server</dt>
        <dd>${renderMarkedText(account.address)}</dd>
        <dt>Purpose</dt>
        <dd>
          Your requests to ${renderMarkedText(account.name)} through an assistant or a product use this account, within
          the policies of ${renderMarkedText(around.organization)}. No one else’s requests use it.
        </dd>
        ${isLister && listingNotice} ${accountFacts(account)}
      </dl>
      <p>You can disconnect it at any time under <a href="/connections">Connected accounts</a>.</p>
      <p class="buttons"><button>${account.connectedAt ? 'Reconnect' : 'Continue'}</button></p>
    </form>`,
});

interface ConfirmServerState extends PageFrame {
  account: AccountView;
  confirmation: ServerConfirmation;
}

/** For an administrator: where everyone in the organization would be sent to sign in. */
export const confirmServerPage = ({ account, confirmation, ...around }: ConfirmServerState): PageContent => ({
  title: `Confirm the sign-in server of ${account.name}`,
  headerContent: pageCorner(around),
  body: html`${
      confirmation.confirmed &&
      html`<p class="notice">
        The sign-in server or its endpoints changed since an administrator confirmed them. New sign-ins are blocked
        until an administrator confirms the change.
      </p>`
    }
    <form class="sheet" method="post" action="${connectPath(account.connectionId)}">
      ${around.csrf}
      <input type="hidden" name="confirmed" value="${confirmation.fingerprint}" />
      <p>
        ${renderMarkedText(account.name)} sends everyone in ${renderMarkedText(around.organization)} to this server to
        sign in. Confirm only if you know it: its operator sees what people type there.
      </p>
      <dl>${serverFacts(confirmation.discovered, confirmation.confirmed)}</dl>
      <p class="buttons"><button>Confirm and continue</button></p>
    </form>`,
});

const serverRows: [label: string, valueOf: (server: PinnedServer) => string | null][] = [
  ['People sign in at', ({ authorizationEndpoint }) => new URL(authorizationEndpoint).host],
  ['Sign-in page', ({ authorizationEndpoint }) => authorizationEndpoint],
  ['Issuer', ({ issuer }) => issuer],
  ['Token endpoint', ({ tokenEndpoint }) => tokenEndpoint],
  ['Registration endpoint', ({ registrationEndpoint }) => registrationEndpoint],
  ['Integration URL', ({ address }) => address],
  ['Tokens are for', ({ resource }) => resource],
];

/** Each fact about the server and, if it changed, the value that an administrator confirmed before. */
function serverFacts(found: PinnedServer, confirmed: PinnedServer | null): Html {
  return html`${serverRows.map(([label, valueOf]) => {
    const value = valueOf(found);
    const before = confirmed && valueOf(confirmed);
    const isChanged = confirmed !== null && before !== value;
    return (
      (value ?? isChanged) &&
      html`<dt>${label}${isChanged && ' (changed)'}</dt>
        <dd>${renderMarkedText(value ?? 'none')}</dd>
        ${isChanged && html`<dd><small>Confirmed before: ${renderMarkedText(before ?? 'none')}</small></dd>`}`
    );
  })}`;
}

const listingNotice = html`<dt>For administrators</dt>
  <dd>
    The first account that an administrator connects is also used to list the server’s tools periodically. Listing
    executes nothing.
  </dd>`;

const accountFacts = ({ issuer, scope, wantedScope, listsTools, connectedAt }: AccountView): Html =>
  html`${
    issuer &&
    html`<dt>Signed in at</dt>
      <dd>${renderMarkedText(issuer)}</dd>`
  }
  ${
    scope &&
    html`<dt>Permissions</dt>
      <dd>${renderMarkedText(scope)}</dd>`
  }
  ${
    wantedScope &&
    html`<dt>The server also requires</dt>
      <dd>${renderMarkedText(wantedScope)}</dd>`
  }
  ${
    listsTools &&
    html`<dt>Also used for</dt>
      <dd>Listing the tools of the server</dd>`
  }
  ${
    connectedAt &&
    html`<dt>Connected</dt>
      <dd>
        <time datetime="${connectedAt.toISOString()}"
          >${connectedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</time
        >
      </dd>`
  }`;

const endedNotice = (reason: string): Html =>
  html`<p class="notice">This account is disconnected: ${renderMarkedText(reason)}. Reconnect it to continue.</p>`;

const pageCorner = ({ organization, person }: PageFrame): Html => html`${organization} · ${person}`;

/** An intermediate page: after a form, browsers block a redirect to a site that the form's page did not allow (CSP). */
export const accountRedirectPage = (to: URL): PageContent => ({
  title: 'Redirecting',
  redirectTo: to.href,
  body: html`<p><a class="alone" href="${to.href}">Continue to ${to.host}</a></p>`,
});
