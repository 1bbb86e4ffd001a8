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
  Enter only a code that <strong>your own terminal</strong> shows after a command that you just ran. If someone sends
  you a code by email, chat or phone, even from support, they want to act in your name.
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
    ${field({ name: 'code', label: 'Code from your terminal', maxLength: 20, hasFocus: true, help: 'Eight letters; the dash is optional.' })}
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
        <strong>The Countersign command line</strong
        >${device.program && html`, reported as “${renderMarkedText(device.program)}”`}
      </dd>
      <dt>Network address</dt>
      <dd><strong>${device.address ?? 'unknown'}</strong></dd>
      <dt>Requested</dt>
      <dd>${device.since.toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      <dt>Code</dt>
      <dd><code>${device.code}</code>: compare it with the code in your terminal</dd>
      <dt>Organization</dt>
      <dd>${renderMarkedText(organization)}</dd>
      <dt>Acts as</dt>
      <dd>You: ${renderMarkedText(person.name)} (${renderMarkedText(person.email)})</dd>
      <dt>Permissions</dt>
      <dd>
        <ul>
          ${device.scopes.map((scope) => html`<li>${scopeDescriptions[scope] ?? scope}</li>`)}
        </ul>
      </dd>
    </dl>
    <p>
      <button name="decision" value="approve">Connect</button>
      <button name="decision" value="decline" class="quiet">This is not my terminal</button>
    </p>
  </form>`,
});

export const deviceDecisionPage = (isApproved: boolean): PageContent => ({
  title: isApproved ? 'Terminal connected' : 'Terminal not connected',
  body: isApproved
    ? html`<p>
        Return to your terminal; it continues within a few seconds. You can disconnect it under
        <a href="/connected">Connected products</a>.
      </p>`
    : html`<p>The terminal has no access. If someone sent you the code, tell your administrator.</p>`,
});
