import { passkeyScriptUrl } from '../access/passkeys/passkey-assertions.service.js';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import type { ApprovalDecision } from '../approvals/approval-decision.port.js';
import type { CallReview, ReviewedArgumentChange } from '../gate/call-review.entity.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Problem } from '../platform/errors/problem.js';
import { html, type Html, notice, type PageContent, renderMarkedText } from '../platform/http/page.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import { earlierDecisions, approvalFacts, approvalStateLabels } from './approval-facts.js';
import type { ApprovalView } from './approval-view.service.js';
import { flattenArguments, type ArgumentValue } from './flatten-arguments.js';

export interface ApprovalPage {
  view: ApprovalView;
  organization: string;
  person: string;
  csrf: Html;
  /** The link of the notification that opened the page. */
  linkToken?: string;
  /** Long values are shown in full. */
  isUnfolded?: boolean;
  problem?: Problem;
  reason?: string;
  /** The WebAuthn options for each possible decision, if the person can decide and the step requires a passkey. */
  passkeyOptions?: Partial<Record<ApprovalDecision, object>>;
}

/**
 * The approve form submits this token to prove that its page showed all values; pages with collapsed values do not
 * contain it. It is bound to the call, its arguments and the tool definition.
 */
export const fullViewToken = ({ callId, definitionHash, argumentsHash }: CallReview): string =>
  sha256(['approval page', callId, definitionHash, argumentsHash].join('\n')).toString('base64url');

export function approvalPage(content: ApprovalPage): PageContent {
  const { view, organization, person, problem, passkeyOptions } = content;
  const { approval, callReview } = view;
  return {
    title: `${approvalStateLabels[approval.state]}: ${callReview.tool}`,
    status: problem?.status ?? 200,
    script: passkeyOptions && passkeyScriptUrl,
    headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
    body: html`${notice(problem?.message)} ${approvalFacts(view)} ${edits(callReview)} ${values(content)}
    ${definition(callReview)} ${earlierDecisions(view)} ${decision(content)}`,
  };
}

/** Explains why a link does not work, and links to the approval without it. */
export const refusedLinkPage = (approvalId: string, { title, status, message }: Problem): PageContent => ({
  title,
  status,
  body: html`<p role="alert">${message} Nothing was decided.</p>
    <p>You can open the approval without the link. Members who can decide on it can do so there.</p>
    <p><a class="button quiet" href="/approvals/${encodeURIComponent(approvalId)}">Open the approval</a></p>`,
});

/** What approvers changed. The values of likely secrets are shown with the arguments only. */
const edits = ({ edits: all }: CallReview): Html =>
  html`${all.map(
    ({ editorName, changes }) =>
      html`<section>
        <h2>Edited arguments</h2>
        <div class="sheet">
          <p>Edited by ${renderMarkedText(editorName ?? 'a former member')}. Others approve the edited call.</p>
          ${changes ? html`<dl>${changes.map(changeRow)}</dl>` : html`<p>The changes can't be decrypted.</p>`}
        </div>
      </section>`,
  )}`;

const changeRow = ({ pointer, before, after, mayBeSecret }: ReviewedArgumentChange): Html =>
  html`<dt>${renderMarkedText(pointer.slice(1))}</dt>
    <dd>
      ${
        mayBeSecret
          ? 'Changed. May contain a secret.'
          : html`Before: ${before === null ? 'none' : verbatim(before)} After:
            ${after === null ? 'none' : verbatim(after)}`
      }
    </dd>`;

function values({ view: { callReview, canonical }, isUnfolded }: ApprovalPage): Html {
  if (canonical === null)
    return html`<section>
      <h2>Arguments</h2>
      <p role="alert">
        The arguments can't be decrypted, so no one can see what this call would do. Deny it, or ask the operator of the
        server to restore the former master key.
      </p>
    </section>`;
  const shown = flattenArguments(JSON.parse(canonical) as JsonValue);
  return html`<section>
    <h2>Arguments</h2>
    <div class="sheet">
      <dl>${shown.map((value) => argumentRow(value, isUnfolded))}</dl>
    </div>
    <details>
      <summary>Raw arguments (${Buffer.byteLength(canonical)} bytes)</summary>
      ${verbatim(canonical)}
      <p class="faint">SHA-256 ${callReview.argumentsHash}</p>
    </details>
  </section>`;
}

function argumentRow({ path, kind, text, isLong }: ArgumentValue, isUnfolded?: boolean): Html {
  const length = `${text.length} characters, ${text.split('\n').length} lines`;
  const whole = kind === 'text' ? verbatim(text) : html`<code>${renderMarkedText(text)}</code> <small>${kind}</small>`;
  return html`<dt>${path ? renderMarkedText(path) : 'Arguments'}</dt>
    <dd>
      ${isLong && html`<small>${isUnfolded ? length : `Collapsed: ${length}`}</small>`}
      ${isLong && !isUnfolded ? '' : whole}
    </dd>`;
}

const definition = ({ title, description, inputSchema, definitionHash }: CallReview): Html =>
  html`<section>
    <h2>Confirmed tool definition</h2>
    <div class="sheet">
      <p><strong>${renderMarkedText(title)}</strong></p>
      ${verbatim(description || 'No description.')}
      <details>
        <summary>Arguments (JSON Schema)</summary>
        ${verbatim(JSON.stringify(inputSchema, null, 2))}
      </details>
      <p class="faint">Definition ${definitionHash}</p>
    </div>
  </section>`;

/** HTML ignores a line break right after `<pre>`, so one is added to keep those of the text. */
const verbatim = (text: string): Html => html`<pre>${'\n'}${renderMarkedText(text)}</pre>`;

function decision(content: ApprovalPage): Html {
  const { view, linkToken, reason, passkeyOptions } = content;
  const { approval, canDecide } = view;
  if (approval.state !== 'pending') return html``;
  if (!canDecide) return cannotDecide(view);
  if (approval.requiresPasskey && !passkeyOptions) return html``;
  const address = `/approvals/${approval.id}`;
  const csrf = html`${content.csrf}${linkToken && html`<input type="hidden" name="n" value="${linkToken}" />`}`;
  return html`<section>
    <h2>Your decision</h2>
    ${approveForm(content, address, csrf)}
    <form class="sheet" method="post" action="${address}" ${passkeyAttributes(content, 'deny')}>
      ${csrf}<input type="hidden" name="decision" value="deny" />
      <p class="field">
        <label for="reason">Reason for denial</label>
        <textarea id="reason" name="reason" rows="3" maxlength="1000" required>${reason ?? ''}</textarea>
        <small>The requester sees it.</small>
      </p>
      ${decisionButton(content, 'Deny', 'bad')}
    </form>
  </section>`;
}

function approveForm(content: ApprovalPage, address: string, csrf: Html): Html {
  const { view, isUnfolded, linkToken } = content;
  const { callReview, canonical } = view;
  if (canonical === null) return html``;
  const isFolded = !isUnfolded && flattenArguments(JSON.parse(canonical) as JsonValue).some(({ isLong }) => isLong);
  const unfoldedAddress = `${address}?${new URLSearchParams({ open: 'all', ...(linkToken && { n: linkToken }) }).toString()}`;
  return html`<form
    class="sheet"
    method="post"
    action="${address}"
    ${!isFolded && passkeyAttributes(content, 'approve')}
  >
    ${csrf}<input type="hidden" name="decision" value="approve" />
    ${
      isFolded
        ? html`<p>Long values are collapsed. <a href="${unfoldedAddress}">Show all values</a> before you approve.</p>
            <button disabled>Approve</button>`
        : html`<input type="hidden" name="seen" value="${fullViewToken(callReview)}" />
            <p>This call runs once, exactly as shown. Any other call needs its own approval.</p>
            ${
              view.hasProposedGrant &&
              html`<p>
                Another approver proposed to allow further calls in this task. If you approve on this page, you approve
                this call only, and the proposal is declined.
                <a href="/console/approvals/${view.approval.id}">Open the approval in the console</a> to allow them.
              </p>`
            }
            ${decisionButton(content, 'Approve')}`
    }
  </form>`;
}

/** The script of the page asks for the passkey and submits its response. See `passkeys.browser.js`. */
const passkeyAttributes = ({ passkeyOptions }: ApprovalPage, decision: ApprovalDecision) =>
  passkeyOptions && html`data-passkey="get" data-options="${JSON.stringify(passkeyOptions[decision])}"`;

function decisionButton({ passkeyOptions }: ApprovalPage, label: string, look?: string): Html {
  const attributes = look && html`class="${look}"`;
  if (!passkeyOptions) return html`<button ${attributes}>${label}</button>`;
  return html`<input type="hidden" name="credential" value="" />
    <button ${attributes} disabled>${label} with a passkey</button>
    <p role="status" data-said>
      Passkeys need JavaScript. If no one decides, the call is denied when the approval expires.
    </p>`;
}

function cannotDecide({ candidates, viewerId }: ApprovalView): Html {
  const own = candidates.find(({ id }) => id === viewerId);
  return html`<section>
    <h2>You can't decide this</h2>
    <div class="sheet">
      <p>
        ${renderMarkedText(own?.reason ?? 'The approval step names other approvers.')}
        ${renderMarkedText(own?.nextStep ?? '')}
      </p>
      ${own?.needsPasskey && html`<p><a class="alone" href="/account/ways-in">Add a passkey</a></p>`}
    </div>
    ${whoDecides(candidates.filter(({ id }) => id !== viewerId))}
  </section>`;
}

const whoDecides = (candidates: ApprovalCandidate[]): Html =>
  html`<h3>Who can decide</h3>
    <ul class="sheet">
      ${candidates.map(
        ({ name, substituteFor, mayDecide, reason, nextStep }) =>
          html`<li>
            ${renderMarkedText(`${name ?? 'Former member'}${substituteFor ? ` (for ${substituteFor})` : ''}`)}:
            ${mayDecide ? 'can decide' : renderMarkedText(reason ?? "can't decide")}
            ${nextStep && renderMarkedText(nextStep)}
          </li>`,
      )}
    </ul>`;
