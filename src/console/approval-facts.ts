import type { Approval } from '../approvals/approval.entity.js';
import { html, type Html, visible } from '../platform/http/page.js';
import type { ApprovalView } from './approval-view.service.js';
import { whatBecame } from './what-became.js';

interface Caller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; name: string }[];
}

/** What an approver is told about a call besides its arguments. */
export function facts(view: ApprovalView): Html {
  const { approval, exhibit } = view;
  return html`<section class="sheet">
    ${approval.notFourEyes && html`<p class="notice"><strong>Not four eyes.</strong> ${oneSignature}</p>`}
    <dl>
      <dt>Tool</dt>
      <dd><code>${visible(exhibit.tool)}</code>, ${effects[exhibit.effect ?? 'write']}</dd>
      <dt>Requested by</dt>
      <dd>${askedBy(exhibit.caller as Caller)}</dd>
      ${
        exhibit.tainted &&
        html`<dt>Mind</dt>
          <dd>Before it asked, it had read text from outside, which may have told it to.</dd>`
      }
      <dt>Responsible</dt>
      <dd>${view.requestedBy.map((name, at) => [at > 0 && ', ', known(name)])}</dd>
      <dt>Configuration</dt>
      <dd>${visible(view.configurationName ?? 'one that is gone')}</dd>
      ${destination(view)}
      ${
        approval.taskId &&
        html`<dt>Part of</dt>
          <dd><a href="/console/tasks/${approval.taskId}">a task</a></dd>`
      }
      <dt>Policy</dt>
      <dd>${visible(exhibit.policyIds.join(', '))}, revision ${exhibit.policyRevision}</dd>
      <dt>Who decides</dt>
      <dd>${visible(view.groupName ?? 'Administrators')}: step ${approval.stepName}, ${tiers[approval.tier]}</dd>
      <dt>Requested</dt>
      <dd>${time(approval.createdAt)}</dd>
      <dt>Expires</dt>
      <dd>${time(approval.expiresAt)}</dd>
      ${outcome(view)}
    </dl>
  </section>`;
}

const askedBy = ({ kind, name, surface, chain }: Caller) => [
  html`the ${kind} ${visible(name)}`,
  ...chain.map(({ kind: by, name: who }) =>
    by === 'configuration' ? html`, handed on by ${visible(who)}` : html`, for the ${by} ${visible(who)}`,
  ),
  `, through ${surfaces[surface] ?? surface}`,
];

const destination = ({ connection }: ApprovalView) =>
  connection &&
  html`<dt>Goes to</dt>
    <dd>
      ${visible(connection.name)}${connection.destination.map(({ label, value }) => html`<br />${label}: ${visible(value)}`)}
    </dd>`;

const outcome = ({ approval, decider, exhibit }: ApprovalView) =>
  approval.decidedAt &&
  html`<dt>${states[approval.state]}</dt>
    <dd>
      ${time(approval.decidedAt)}${decider !== undefined && html`, by ${known(decider)}`}
      ${approval.reason && html`<br />${visible(approval.reason)}`}
      ${approval.state === 'approved' && html`<br />${whatBecame[exhibit.state]} ${visible(exhibit.reason ?? '')}`}
    </dd>`;

/** What people made of calls like this one before. */
export function earlier({ earlier }: ApprovalView): Html {
  if (!earlier.length) return html`<p class="faint">Nobody has decided on this tool before, as far as you may see.</p>`;
  const approved = earlier.filter(({ approval }) => approval.state === 'approved').length;
  return html`<section>
    <h2>Decided before</h2>
    <div class="sheet">
      <p>
        Of the last ${earlier.length} calls of this tool here, people approved ${approved} and denied
        ${earlier.length - approved}.
      </p>
      <ul>
        ${earlier.map(
          ({ approval, decider, hasSameArguments }) =>
            html`<li>
              <a href="/approvals/${approval.id}">${states[approval.state]}</a> by ${known(decider ?? null)},
              ${time(approval.decidedAt!)}${hasSameArguments && ', the same arguments'}${
                approval.reason && html`: ${visible(approval.reason)}`
              }
            </li>`,
        )}
      </ul>
    </div>
  </section>`;
}

export const states: Record<Approval['state'], string> = {
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Ran out of time',
  void: 'Void',
};
const surfaces: Record<string, string> = {
  a2a: 'A2A',
  mcp: 'MCP',
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
};
const oneSignature = 'Whoever decides asked for this call or answers for it; nobody else looks at it.';
const effects: Record<string, string> = {
  read: 'which reads',
  write: 'which changes something',
  destructive: 'which may destroy something',
};
const tiers = { confirm: 'to be confirmed', review: 'to be reviewed by somebody else' };
const known = (name: string | null): Html => visible(name ?? 'somebody who left');
const time = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
