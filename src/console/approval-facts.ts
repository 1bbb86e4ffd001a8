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

/** What the page shows an approver about a call, besides its arguments. */
export function approvalFacts(view: ApprovalView): Html {
  const { approval, callReview } = view;
  return html`<section class="sheet">
    ${approval.selfApproved && html`<p class="notice"><strong>Self-approval.</strong> ${selfApprovedWarning}</p>`}
    ${overrideNotice(view)}
    <dl>
      <dt>Tool</dt>
      <dd><code>${renderMarkedText(callReview.tool)}</code>, ${effectLabels[callReview.effect ?? 'write']}</dd>
      <dt>Requested by</dt>
      <dd>${callerText(callReview.caller as DisplayedCaller)}</dd>
      ${
        callReview.tainted &&
        html`<dt>Warning</dt>
          <dd>
            The caller read external content before this request. That content may have contained instructions to make
            it.
          </dd>`
      }
      <dt>Responsible</dt>
      <dd>${view.requestedBy.map((name, at) => [at > 0 && ', ', personName(name)])}</dd>
      <dt>Configuration</dt>
      <dd>${renderMarkedText(view.configurationName ?? 'Deleted configuration')}</dd>
      ${destination(view)}
      ${
        approval.taskId &&
        html`<dt>Task</dt>
          <dd>
            <a class="alone" href="/console/tasks/${approval.taskId}">View task</a>${
              view.blockedTaskCount > 1 && html`<br />${view.blockedTaskCount} tasks wait for this approval`
            }
          </dd>`
      }
      <dt>Policy</dt>
      <dd>${renderMarkedText(callReview.policyIds.join(', '))}, revision ${callReview.policyRevision}</dd>
      ${
        approval.stepCount > 1 &&
        html`<dt>Step</dt>
          <dd>
            ${approval.stepNumber} of
            ${approval.stepCount}${view.steps.map(({ stepName, state }) => html`<br />${stepName}: ${approvalStateLabels[state].toLowerCase()}`)}
          </dd>`
      }
      <dt>Approvers</dt>
      <dd>
        ${renderMarkedText(view.groupName ?? 'Administrators')}: step ${approval.stepName},
        ${tierLabels[approval.tier]}${approval.requiresPasskey && ', with a passkey'}
      </dd>
      ${
        (approval.escalatedAt ?? (approval.state === 'pending' && approval.escalatesAt)) &&
        html`<dt>Escalation</dt>
          <dd>${escalationText(view)}</dd>`
      }
      ${
        approval.quorum > 1 &&
        html`<dt>Approvals</dt>
          <dd>${quorumText(view)}</dd>`
      }
      <dt>Requested</dt>
      <dd>${timeElement(approval.createdAt)}</dd>
      <dt>Expires</dt>
      <dd>${timeElement(approval.expiresAt)}</dd>
      ${decisionOutcome(view)}
    </dl>
  </section>`;
}

const overrideNotice = ({ override, decider }: ApprovalView) =>
  override &&
  html`<p class="notice">
    <strong>Overridden with break-glass rights.</strong> ${personName(decider ?? null)} overrode this approval at
    ${timeElement(override.at)}. No approver approved the call. Reason: ${renderMarkedText(override.reason)}
    ${override.reviewedAt ? html`Reviewed: ${renderMarkedText(override.reviewNote ?? '')}` : 'The review is open.'}
  </p>`;

const quorumText = ({ approval: { quorum }, approvedBy }: ApprovalView) => [
  `${approvedBy.length} of ${quorum}`,
  ...approvedBy.map(
    ({ name, substituteFor }, at) =>
      html`${at > 0 ? ', ' : ': '}${personName(name)}${substituteFor && html` for ${personName(substituteFor.name)}`}`,
  ),
];

const escalationText = ({ approval: { escalatesAt, escalatedAt }, escalationGroupName }: ApprovalView) => {
  const group = renderMarkedText(escalationGroupName ?? 'Administrators');
  return escalatedAt
    ? html`Escalated to ${group} at ${timeElement(escalatedAt)} because no one had decided`
    : html`Escalates to ${group} at ${timeElement(escalatesAt!)} if no one decides`;
};

const chainRoles: Record<string, string> = { configuration: 'delegated by', client: 'using' };

// the chain of a person who uses a product starts with that person
const callerText = ({ kind, name, surface, chain }: DisplayedCaller) => [
  html`the ${kind} ${renderMarkedText(name)}`,
  ...chain
    .filter((link) => link.kind !== kind)
    .map(({ kind: by, name: who }) => html`, ${chainRoles[by] ?? `for the ${by}`} ${renderMarkedText(who)}`),
  `, through ${surfaceLabels[surface] ?? surface}`,
];

const destination = ({ connection }: ApprovalView) =>
  connection &&
  html`<dt>Destination</dt>
    <dd>
      ${renderMarkedText(connection.name)}${connection.destination.map(({ label, value }) => html`<br />${label}: ${renderMarkedText(value)}`)}
    </dd>`;

const decisionOutcome = ({ approval, decider, deciderFor, callReview, successorId }: ApprovalView) =>
  approval.decidedAt &&
  html`<dt>${approvalStateLabels[approval.state]}</dt>
    <dd>
      ${timeElement(approval.decidedAt)}${decider !== undefined && html`, by ${personName(decider)}`}${deciderFor && html` for ${personName(deciderFor.name)}`}${approval.decidedInSlack && ', in Slack'}
      ${approval.reason && html`<br />${renderMarkedText(approval.reason)}`}
      ${successorId && html`<br /><a href="/approvals/${successorId}">Open the approval of the edited call</a>`}
      ${approval.state === 'approved' && html`<br />${callStateTexts[callReview.state]} ${renderMarkedText(callReview.reason ?? '')}`}
    </dd>`;

/** Earlier decisions on calls of the same tool. */
export function earlierDecisions({ earlier }: ApprovalView): Html {
  if (!earlier.length) return html`<p class="faint">No earlier decisions about this tool that you can see.</p>`;
  const approved = earlier.filter(({ approval }) => approval.state === 'approved').length;
  return html`<section>
    <h2>Earlier decisions</h2>
    <div class="sheet">
      <p>
        Of the last ${earlier.length} calls of this tool that needed an approval, ${approved} were approved and
        ${earlier.length - approved} denied.
      </p>
      <ul>
        ${earlier.map(
          ({ approval, decider, hasSameArguments }) =>
            html`<li>
              <a href="/approvals/${approval.id}">${approvalStateLabels[approval.state]}</a> by
              ${personName(decider ?? null)},
              ${timeElement(approval.decidedAt!)}${hasSameArguments && ', same arguments'}${
                approval.reason && html`: ${renderMarkedText(approval.reason)}`
              }
            </li>`,
        )}
      </ul>
    </div>
  </section>`;
}

export const approvalStateLabels: Record<Approval['state'], string> = {
  waiting: 'Waiting for an earlier step',
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Void',
};
const surfaceLabels: Record<string, string> = {
  a2a: 'A2A',
  mcp: 'MCP',
  api: 'the API',
  cli: 'the command line',
  console: 'the console',
};
const selfApprovedWarning = 'The approver requested this call or is responsible for it. No other person reviews it.';
const effectLabels: Record<string, string> = {
  read: 'read-only',
  write: 'write',
  destructive: 'destructive',
};
const tierLabels = { confirm: 'the responsible person confirms', review: 'a person other than the requester reviews' };
const personName = (name: string | null): Html => renderMarkedText(name ?? 'Former member');
const timeElement = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>`;
