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
  Enter only a code that <strong>your own terminal</strong> shows you now, after a command that you have just started
  yourself. Anyone who sends you a code by email, chat or phone, even as support, wants to act in your name.
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
    ${field({ name: 'code', label: 'Code from your terminal', maxLength: 20, hasFocus: true, help: 'Eight letters. The dash is optional.' })}
    <button>Continue</button>
  </form>`,
});

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
      <dt>Program</dt>
      <dd>
        <strong>The Countersign command line</strong>, which
        ${device.program ? html`identifies as “${renderMarkedText(device.program)}”` : 'does not identify itself'}
      </dd>
      <dt>Network address</dt>
      <dd><strong>${device.address ?? 'Unknown'}</strong></dd>
      <dt>Started</dt>
      <dd>${device.since.toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      <dt>Code</dt>
      <dd><code>${device.code}</code>. Compare it with your terminal.</dd>
      <dt>Organization</dt>
      <dd>${renderMarkedText(organization)}</dd>
      <dt>Acts as</dt>
      <dd>You: ${renderMarkedText(person.name)} (${renderMarkedText(person.email)})</dd>
      <dt>Access</dt>
      <dd>
        <ul>
          ${device.scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
        </ul>
      </dd>
    </dl>
    <p>
      <button name="decision" value="approve">Connect terminal</button>
      <button name="decision" value="decline" class="quiet">Decline, it is not mine</button>
    </p>
  </form>`,
});

export const deviceDecisionPage = (isApproved: boolean): PageContent => ({
  title: isApproved ? 'The terminal is connected' : 'The terminal was declined',
  body: isApproved
    ? html`<p>
        Go back to it. It continues within a few seconds. You can disconnect it under
        <a href="/connected">Connected products</a>.
      </p>`
    : html`<p>The terminal gets no access. If somebody sent you the code, tell your administrator.</p>`,
});
