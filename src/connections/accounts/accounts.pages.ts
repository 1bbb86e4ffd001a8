import type { Problem } from '../../platform/errors/problem.js';
import { html, notice, type Html, type PageContent, renderMarkedText } from '../../platform/http/page.js';
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
  /** The one that was connected a moment ago. */
  justConnected?: AccountView;
}

/** What a person has connected. */
export const accountsPage = ({ accounts, justConnected: justConnected, ...around }: AccountsState): PageContent => ({
  title: 'Your accounts elsewhere',
  headerContent: pageCorner(around),
  body: html`${
      justConnected &&
      html`<p class="sheet" role="status">
        Your account at ${renderMarkedText(justConnected.name)} is connected. You can close this page and go on where
        you came from.
      </p>`
    }
    <p>
      With these, ${renderMarkedText(around.organization)} acts for you in other systems when you ask an assistant or a
      product for something: for you alone, and under its policies.
    </p>
    ${accounts.length ? accounts.map((account) => accountSection(account, around.csrf)) : noAccountsNotice}
    <p><a href="/account">Your account</a></p>`,
});

const noAccountsNotice = html`<p class="sheet">
  You have connected no account. When something needs one, you are given a link to where you connect it.
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
      <a class="button" href="${connectPath(connectionId)}">Connect again</a>
      <button class="quiet" aria-describedby="${heading}">Disconnect</button>
    </p>
  </form>`;
}

interface ConnectState extends PageFrame {
  account: AccountView;
  /** Whether it would be an administrator's, with which tools can be listed. */
  isLister: boolean;
  problem?: Problem;
}

/** Before a person leaves for the other system: what will happen, and what for. */
export const connectPage = ({ account, isLister, problem, ...around }: ConnectState): PageContent => ({
  title: `Connect your account at ${account.name}`,
  headerContent: pageCorner(around),
  status: problem?.status,
  body: html`${notice(problem?.message)} ${account.endedReason && endedNotice(account.endedReason)}
    <form class="sheet" method="post" action="${connectPath(account.connectionId)}">
      ${around.csrf}
      <p>
        You are sent to where ${renderMarkedText(account.name)} signs people in. There you say who you are and what may
        be done for you, and come back. ${renderMarkedText(around.organization)} never sees your password.
      </p>
      <dl>
        <dt>The server</dt>
        <dd>${renderMarkedText(account.address)}</dd>
        <dt>What for</dt>
        <dd>
          What you ask of ${renderMarkedText(account.name)} through an assistant or a product is done with your account,
          as far as the policies of ${renderMarkedText(around.organization)} allow. Nobody else’s requests use it.
        </dd>
        ${isLister && listingNotice} ${accountFacts(account)}
      </dl>
      <p>You can disconnect it at any time, on the page of <a href="/connections">your accounts elsewhere</a>.</p>
      <p class="buttons"><button>${account.connectedAt ? 'Connect again' : 'Continue'}</button></p>
    </form>`,
});

interface ConfirmServerState extends PageFrame {
  account: AccountView;
  confirmation: ServerConfirmation;
}

/** For an administrator: where everybody in the organization would be sent to sign in. */
export const confirmServerPage = ({
  account,
  confirmation: confirmation,
  ...around
}: ConfirmServerState): PageContent => ({
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

/** Each fact of the server, and where it changed, the value that an administrator confirmed before. */
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

const listingNotice = html`<dt>And, since you administer integrations</dt>
  <dd>
    The first account of an administrator is also used to list, from time to time, which tools the server offers. It
    carries nothing out that way.
  </dd>`;

const accountFacts = ({ issuer, scope, wantedScope, listsTools, connectedAt }: AccountView): Html =>
  html`${
    issuer &&
    html`<dt>Signed in at</dt>
      <dd>${renderMarkedText(issuer)}</dd>`
  }
  ${
    scope &&
    html`<dt>It may be used for</dt>
      <dd>${renderMarkedText(scope)}</dd>`
  }
  ${
    wantedScope &&
    html`<dt>The server wants besides</dt>
      <dd>${renderMarkedText(wantedScope)}</dd>`
  }
  ${
    listsTools &&
    html`<dt>Also</dt>
      <dd>Lists which tools the server offers</dd>`
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
  html`<p class="notice">It is not connected any more: ${renderMarkedText(reason)}. Connect it again to go on.</p>`;

const pageCorner = ({ organization, person }: PageFrame): Html => html`${organization} · ${person}`;

/** A page between: after a form, browsers follow no redirect to another site that the form's page did not name. */
export const accountRedirectPage = (to: URL): PageContent => ({
  title: 'One moment',
  redirectTo: to.href,
  body: html`<p><a href="${to.href}">Go on to ${to.host}</a></p>`,
});
