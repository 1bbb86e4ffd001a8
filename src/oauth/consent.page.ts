import { html, type Html, type PageContent, renderMarkedText } from '../platform/http/page.js';
import type { ClientFacts } from './client-facts.js';
import { redirectHost } from './clients/redirect-uri.js';
import { scopeDescriptions } from './scopes.js';

interface RequestingClient {
  client: ClientFacts;
  /** A registered redirect URI of the client. */
  redirectUri: string;
  organization: string;
}

interface ConsentState extends RequestingClient {
  csrf: Html;
  person: { name: string; email: string };
  /** The configuration of a client that targets MCP. */
  configuration: string | null;
  scopes: { requested: string[]; remembered: string[] };
  action: string;
}

export function consentPage(state: ConsentState): PageContent {
  const { client, redirectUri, organization, person, csrf, action } = state;
  return {
    title: `Connect ${client.name}?`,
    headerContent: html`${organization}`,
    formTargets: [new URL(redirectUri).origin],
    body: html`<form class="sheet" method="post" action="${action}">
      ${csrf} <input type="hidden" name="revision" value="${client.revision}" />
      <dl>
        <dt>Product</dt>
        <dd>
          <strong>${renderMarkedText(client.name)}</strong>, which returns you to
          <strong>${redirectHost(redirectUri)}</strong>
        </dd>
        ${
          client.description &&
          html`<dt>Description</dt>
            <dd>${renderMarkedText(client.description)}</dd>`
        }
        <dt>Organization</dt>
        <dd>${renderMarkedText(organization)}</dd>
        <dt>Acts as</dt>
        <dd>You: ${renderMarkedText(person.name)} (${renderMarkedText(person.email)})</dd>
        ${requestedAccess(state)}
      </dl>
      ${client.isNative && nativeWarning}
      <p>
        It never sees your password and can do nothing that you can't do yourself. You can disconnect it at any time.
      </p>
      <p class="buttons">
        <button name="decision" value="approve">Allow</button>
        <button name="decision" value="decline" class="quiet">Decline</button>
      </p>
    </form>`,
  };
}

/** If some of the requested scopes were allowed before, shows the new ones separately. */
function requestedAccess({ scopes: { requested, remembered }, configuration }: ConsentState): Html {
  const added = requested.filter((scope) => !remembered.includes(scope));
  const shown = added.length ? added : requested;
  const before = added.length ? remembered.filter((scope) => requested.includes(scope)) : [];
  return html`${
      configuration &&
      html`<dt>Access through</dt>
        <dd>Only the configuration ${renderMarkedText(configuration)}</dd>`
    }
    <dt>${before.length ? 'New permissions' : 'Permissions'}</dt>
    <dd>${scopeList(shown)}</dd>
    ${
      before.length > 0 &&
      html`<dt>Already allowed</dt>
        <dd>${scopeList(before)}</dd>`
    }`;
}

const scopeList = (scopes: string[]): Html =>
  html`<ul>
    ${scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
  </ul>`;

const nativeWarning = html`<p class="notice">
  This program runs on your own machine. Allow it only if you just started it yourself: another program on the machine
  could pretend to be it.
</p>`;

interface OtherOrganizationState extends RequestingClient {
  csrf: Html;
  action: string;
  personName: string;
  own: string;
}

/** For a person who is signed in to an organization that the client does not serve. */
export const otherOrganizationPage = (state: OtherOrganizationState): PageContent => ({
  title: `${state.client.name} is for another organization`,
  headerContent: html`${state.own}`,
  status: 403,
  body: html`<form class="sheet" method="post" action="${state.action}">
    ${state.csrf}
    <p>
      You are signed in as <strong>${renderMarkedText(state.personName)}</strong> at
      <strong>${renderMarkedText(state.own)}</strong>. ${renderMarkedText(state.client.name)} is only for members of
      <strong>${renderMarkedText(state.organization)}</strong>.
    </p>
    <p class="buttons">
      <button name="decision" value="switch">Sign in to ${state.organization}</button>
      <button name="decision" value="decline" class="quiet">Go back</button>
    </p>
  </form>`,
  formTargets: [new URL(state.redirectUri).origin],
});

/** After a form, browsers block a redirect to a site that the form's page did not name. This page redirects instead. */
export const continuePage = (to: string): PageContent => ({
  title: 'Signed in',
  redirectTo: to,
  body: html`<p><a class="alone" href="${to}">Continue</a></p>`,
});
