import { html, type Html, type PageContent, renderMarkedText } from '../../platform/http/page.js';
import { scopeDescriptions } from '../scopes.js';
import type { ConnectedDeviceRow } from './connected-devices.service.js';
import type { ConnectedProduct } from './connected-products.service.js';

interface ConnectedPageState {
  products: ConnectedProduct[];
  devices: ConnectedDeviceRow[];
  organization: string;
  person: string;
  csrf: Html;
}

export const connectedPage = ({ products, devices, organization, person, csrf }: ConnectedPageState): PageContent => ({
  title: 'Connected products',
  headerContent: html`${organization} · ${person}`,
  body: html`<p>
      These products and terminals act for you at ${renderMarkedText(organization)}, within your permissions and what
      you allowed. One that you disconnect loses access immediately and must ask you again.
    </p>
    ${devices.map((device) => deviceSheet(device, csrf))} ${products.map((product) => sheet(product, csrf))}
    ${products.length + devices.length === 0 && emptyState}
    <p>
      <a class="alone" href="/assistants">Connect your assistant</a> · <a class="alone" href="/account">Your account</a>
    </p>`,
});

const emptyState = html`<p class="sheet">No connected products or terminals.</p>`;

function deviceSheet({ id, program, address, scopes, connectedAt, usedAt }: ConnectedDeviceRow, csrf: Html) {
  const heading = `device-${id}`;
  return html`<form class="sheet" method="post" action="/connected" aria-labelledby="${heading}">
    <h2 id="${heading}">Countersign command line</h2>
    ${csrf}
    <input type="hidden" name="device" value="${id}" />
    <dl>
      <dt>Program</dt>
      <dd>${program === null ? 'unknown' : renderMarkedText(program)}</dd>
      <dt>Connected from</dt>
      <dd>${address ?? 'unknown'}</dd>
      ${permissions(scopes)}
      <dt>Connected</dt>
      <dd>${moment(connectedAt)}</dd>
      <dt>Last used</dt>
      <dd>${moment(usedAt)}</dd>
    </dl>
    <p class="buttons"><button class="quiet" aria-describedby="${heading}">Disconnect</button></p>
  </form>`;
}

const permissions = (scopes: string[]): Html =>
  html`<dt>Permissions</dt>
    <dd>
      <ul>
        ${scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
      </ul>
    </dd>`;

function sheet(
  { id, name, description, hosts, configuration, isDisabled, scopes, ...times }: ConnectedProduct,
  csrf: Html,
) {
  const heading = `product-${id}`;
  return html`<form class="sheet" method="post" action="/connected" aria-labelledby="${heading}">
    <h2 id="${heading}">${renderMarkedText(name)}</h2>
    ${csrf}
    <input type="hidden" name="product" value="${id}" />
    ${description && html`<p>${renderMarkedText(description)}</p>`}
    ${isDisabled && html`<p class="notice">An administrator has disabled this product.</p>`}
    <dl>
      ${
        hosts.length > 0 &&
        html`<dt>From</dt>
          <dd>${hosts.join(', ')}</dd>`
      }
      ${
        configuration &&
        html`<dt>Access through</dt>
          <dd>Only the configuration ${renderMarkedText(configuration)}</dd>`
      }
      ${permissions(scopes)}
      <dt>Connected</dt>
      <dd>${moment(times.connectedAt)}</dd>
      <dt>Last used</dt>
      <dd>${times.usedAt ? moment(times.usedAt) : 'Not signed in now; it can sign in again without asking you.'}</dd>
    </dl>
    <p class="buttons"><button class="quiet" aria-describedby="${heading}">Disconnect</button></p>
  </form>`;
}

const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
