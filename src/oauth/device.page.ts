import { field, html, type Html, notice, type PageContent, renderMarkedText } from '../platform/http/page.js';
import type { Problem } from '../platform/errors/problem.js';
import type { PendingDevice } from './devices.service.js';
import { scopeDescriptions } from './scopes.js';

interface SignedInState {
  csrf: Html;
  organization: string;
  person: { name: string; email: string };
}

const warning = html`<p class="notice">
  Type only a code that <strong>your own terminal</strong> shows you now, after a command that you have just started
  yourself. Whoever sends you a code by mail, chat or telephone, from support or otherwise, wants to act in your name.
</p>`;

export const deviceCodePage = ({
  csrf,
  organization,
  problem,
}: SignedInState & { problem?: Problem }): PageContent => ({
  title: 'Connect a terminal',
  headerContent: html`${organization}`,
  status: problem?.status ?? 200,
  body: html`<form class="sheet narrow" method="post" action="/device">
    ${notice(problem?.message)} ${csrf} ${warning}
    ${field({ name: 'code', label: 'The code that your terminal shows', maxLength: 20, hasFocus: true, help: 'Eight letters. The dash does not matter.' })}
    <button>Go on</button>
  </form>`,
});

/** What asks, from where, for what and as whom. */
export const devicePage = ({
  csrf,
  organization,
  person,
  device,
}: SignedInState & { device: PendingDevice }): PageContent => ({
  title: 'Connect this terminal?',
  headerContent: html`${organization}`,
  body: html`<form class="sheet" method="post" action="/device/decision">
    ${csrf} <input type="hidden" name="code" value="${device.code}" /> ${warning}
    <dl>
      <dt>What asks</dt>
      <dd>
        <strong>The Countersign command line</strong>, which calls itself
        ${device.program ? html`“${renderMarkedText(device.program)}”` : 'nothing'}
      </dd>
      <dt>From where</dt>
      <dd>The network address <strong>${device.address ?? 'unknown'}</strong></dd>
      <dt>Since</dt>
      <dd>${device.since.toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      <dt>Its code</dt>
      <dd><code>${device.code}</code>: compare it with your terminal</dd>
      <dt>In which organization</dt>
      <dd>${renderMarkedText(organization)}</dd>
      <dt>As whom</dt>
      <dd>You: ${renderMarkedText(person.name)} (${renderMarkedText(person.email)})</dd>
      <dt>What for</dt>
      <dd>
        <ul>
          ${device.scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
        </ul>
      </dd>
    </dl>
    <p>
      <button name="decision" value="approve">Connect it</button>
      <button name="decision" value="decline" class="quiet">It is not mine</button>
    </p>
  </form>`,
});

export const deviceDecisionPage = (isApproved: boolean): PageContent => ({
  title: isApproved ? 'The terminal is connected' : 'The terminal was turned away',
  body: isApproved
    ? html`<p>
        Go back to it: it goes on by itself within a few seconds. You can end this under
        <a href="/connected">what is connected</a>.
      </p>`
    : html`<p>It gets nothing. If somebody sent you the code, tell your administrator.</p>`,
});
