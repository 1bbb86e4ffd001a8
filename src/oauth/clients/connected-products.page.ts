import { html, type Html, type PageContent, renderMarkedText } from '../../platform/http/page.js';
import { scopeDescriptions } from '../scopes.js';
import type { ConnectedProduct } from './connected-products.service.js';

interface ConnectedPageState {
  products: ConnectedProduct[];
  organization: string;
  person: string;
  csrf: Html;
}

export const connectedPage = ({ products, organization, person, csrf }: ConnectedPageState): PageContent => ({
  title: 'Connected products',
  headerContent: html`${organization} · ${person}`,
  body: html`<p>
      These products act for you at ${renderMarkedText(organization)}, within your own permissions and the access that
      you allowed. A product that you disconnect loses access immediately and has to ask you again.
    </p>
    ${products.length ? products.map((product) => sheet(product, csrf)) : emptyState}
    <p><a href="/assistants">Connect your assistant</a> · <a href="/account">Your account</a></p>`,
});

const emptyState = html`<p class="sheet">No products connected. A product asks for access when you connect it from there.</p>`;

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
        html`<dt>Website</dt>
          <dd>${hosts.join(', ')}</dd>`
      }
      ${
        configuration &&
        html`<dt>Configuration</dt>
          <dd>${renderMarkedText(configuration)} only</dd>`
      }
      <dt>Access</dt>
      <dd>
        <ul>
          ${scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
        </ul>
      </dd>
      <dt>Connected</dt>
      <dd>${moment(times.connectedAt)}</dd>
      <dt>Last used</dt>
      <dd>${times.usedAt ? moment(times.usedAt) : 'No active access. It can reconnect without asking you.'}</dd>
    </dl>
    <p class="buttons"><button class="quiet" aria-describedby="${heading}">Disconnect</button></p>
  </form>`;
}

const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
