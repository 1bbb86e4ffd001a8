import type { Approval } from '../approvals/approval.entity.js';
import { html, type Html, renderMarkedText } from '../platform/http/page.js';
import type { ApprovalView } from './approval-view.service.js';
import { callStateTexts } from './call-state-texts.js';

interface DisplayedCaller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; name: string }[];
}

/** What an approver is told about a call besides its arguments. */
export function approvalFacts(view: ApprovalView): Html {
  const { approval, callReview } = view;
  return html`<section class="sheet">
    ${approval.notFourEyes && html`<p class="notice"><strong>Not four eyes.</strong> ${selfApprovedWarning}</p>`}
    <dl>
      <dt>Tool</dt>
      <dd><code>${renderMarkedText(callReview.tool)}</code>, ${effectLabels[callReview.effect ?? 'write']}</dd>
      <dt>Requested by</dt>
      <dd>${callerText(callReview.caller as DisplayedCaller)}</dd>
      ${
        callReview.tainted &&
        html`<dt>Mind</dt>
          <dd>Before it asked, it had read text from outside, which may have told it to.</dd>`
      }
      <dt>Responsible</dt>
      <dd>${view.requestedBy.map((name, at) => [at > 0 && ', ', personName(name)])}</dd>
      <dt>Configuration</dt>
      <dd>${renderMarkedText(view.configurationName ?? 'one that is gone')}</dd>
      ${destination(view)}
      ${
        approval.taskId &&
        html`<dt>Part of</dt>
          <dd><a href="/console/tasks/${approval.taskId}">a task</a></dd>`
      }
      <dt>Policy</dt>
      <dd>${renderMarkedText(callReview.policyIds.join(', '))}, revision ${callReview.policyRevision}</dd>
      <dt>Who decides</dt>
      <dd>
        ${renderMarkedText(view.groupName ?? 'Administrators')}: step ${approval.stepName}, ${tierLabels[approval.tier]}
      </dd>
      <dt>Requested</dt>
      <dd>${timeElement(approval.createdAt)}</dd>
      <dt>Expires</dt>
      <dd>${timeElement(approval.expiresAt)}</dd>
      ${decisionOutcome(view)}
    </dl>
  </section>`;
}

const callerText = ({ kind, name, surface, chain }: DisplayedCaller) => [
  html`the ${kind} ${renderMarkedText(name)}`,
  ...chain.map(({ kind: by, name: who }) =>
    by === 'configuration'
      ? html`, handed on by ${renderMarkedText(who)}`
      : html`, for the ${by} ${renderMarkedText(who)}`,
  ),
  `, through ${surfaceLabels[surface] ?? surface}`,
];

const destination = ({ connection }: ApprovalView) =>
  connection &&
  html`<dt>Goes to</dt>
    <dd>
      ${renderMarkedText(connection.name)}${connection.destination.map(({ label, value }) => html`<br />${label}: ${renderMarkedText(value)}`)}
    </dd>`;

const decisionOutcome = ({ approval, decider, callReview }: ApprovalView) =>
  approval.decidedAt &&
  html`<dt>${approvalStateLabels[approval.state]}</dt>
    <dd>
      ${timeElement(approval.decidedAt)}${decider !== undefined && html`, by ${personName(decider)}`}
      ${approval.reason && html`<br />${renderMarkedText(approval.reason)}`}
      ${approval.state === 'approved' && html`<br />${callStateTexts[callReview.state]} ${renderMarkedText(callReview.reason ?? '')}`}
    </dd>`;

/** What people made of calls like this one before. */
export function earlierDecisions({ earlier }: ApprovalView): Html {
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
              <a href="/approvals/${approval.id}">${approvalStateLabels[approval.state]}</a> by
              ${personName(decider ?? null)},
              ${timeElement(approval.decidedAt!)}${hasSameArguments && ', the same arguments'}${
                approval.reason && html`: ${renderMarkedText(approval.reason)}`
              }
            </li>`,
        )}
      </ul>
    </div>
  </section>`;
}

export const approvalStateLabels: Record<Approval['state'], string> = {
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Ran out of time',
  void: 'Void',
};
const surfaceLabels: Record<string, string> = {
  a2a: 'A2A',
  mcp: 'MCP',
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
};
const selfApprovedWarning = 'Whoever decides asked for this call or answers for it; nobody else looks at it.';
const effectLabels: Record<string, string> = {
  read: 'which reads',
  write: 'which changes something',
  destructive: 'which may destroy something',
};
const tierLabels = { confirm: 'to be confirmed', review: 'to be reviewed by somebody else' };
const personName = (name: string | null): Html => renderMarkedText(name ?? 'somebody who left');
const timeElement = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
