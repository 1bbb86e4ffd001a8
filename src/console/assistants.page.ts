import type { AccountView } from '../connections/accounts/own-accounts.service.js';
import type { AssistantSetup, AssistantsOverview } from '../oauth/assistants/assistants.service.js';
import type { Problem } from '../platform/errors/problem.js';
import { html, type Html, notice, type PageContent, renderMarkedText } from '../platform/http/page.js';
import { paste, pasteScript } from './paste.js';

export interface AssistantsPage {
  setUp: AssistantsOverview;
  /** The person's own, at integrations that need one; there or not yet. */
  accounts: AccountView[];
  organization: string;
  person: string;
  csrf: Html;
  /** The person may register what is missing. */
  isAdmin: boolean;
  /** The one that is laid open. */
  open?: string;
  problem?: Problem;
}

export function assistantsPage(content: AssistantsPage): PageContent {
  const { setUp, organization, person, problem } = content;
  return {
    title: `Connect your assistant: ${setUp.configuration.name}`,
    status: problem?.status ?? 200,
    headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
    script: pasteScript.address,
    body: html`${notice(problem?.message)} ${warnings(setUp)}
      <p>
        An assistant reaches ${renderMarkedText(organization)} as you: what it may do is what you may, by the policies
        of this configuration. Some calls wait until a person has approved them. It signs in by your browser; no key is
        handed over, and <a href="/connected">you can end it at any time</a>.
      </p>
      ${setUp.configuration.description && html`<p class="faint">${renderMarkedText(setUp.configuration.description)}</p>`}
      ${setUp.isUsable && ownAccounts(content.accounts)}
      ${setUp.assistants.map((assistant) => assistantSection(assistant, content))} ${otherAssistants(content)}
      <p><a href="/assistants">All configurations</a> · <a href="/account">Your account</a></p>`,
  };
}

const warnings = ({ configuration: { pausedAt }, isUsable }: AssistantsOverview): Html =>
  html`${pausedAt && html`<p class="notice">This configuration is paused: every call through it is refused for now.</p>`}
  ${
    !isUsable &&
    html`<p class="notice">
      None of your groups may use this configuration. You can register assistants for those who may; yours would not be
      let in.
    </p>`
  }`;

/** An assistant would stop at the first call that needs one, and send its person to where they connect it. */
const ownAccounts = (accounts: AccountView[]): Html | false =>
  accounts.length > 0 &&
  html`<section class="sheet">
    <p>Some of what it reaches works with an account of your own there, and with nobody else's:</p>
    <ul>
      ${accounts.map(
        ({ connectionId, name, connectedAt, endedReason }) =>
          html`<li>
            ${renderMarkedText(name)}:
            ${
              connectedAt && !endedReason
                ? 'connected'
                : html`<a href="/connections/${connectionId}/connect">connect your account</a>`
            }
          </li>`,
      )}
    </ul>
  </section>`;

function assistantSection(assistant: AssistantSetup, content: AssistantsPage): Html {
  const { id, name, hint, client } = assistant;
  const state = client ? (client.disabledAt ? 'stopped' : 'ready') : 'not registered yet';
  return html`<details class="sheet" id="${id}" ${content.open === id && html`open`}>
    <summary><strong>${name}</strong> <small>${hint && `${hint} · `}${state}</small></summary>
    ${client?.disabledAt && html`<p class="notice">An administrator has stopped this assistant for now.</p>`}
    ${assistant.obstacle && html`<p class="notice">${assistant.obstacle}</p>`}
    ${client ? steps(assistant) : registrationForm(assistant, content)}
  </details>`;
}

const steps = ({ steps }: AssistantSetup): Html =>
  html`<ol class="steps">
    ${steps.map((step) => html`<li>${step.say} ${step.paste && paste(step.paste)}</li>`)}
  </ol>`;

/** For an administrator the one press; for everybody else, whom to ask. */
function registrationForm({ id, name, redirectUris }: AssistantSetup, { isAdmin, setUp, csrf }: AssistantsPage): Html {
  if (!isAdmin) return html`<p>An administrator has to register ${name} once. Ask for it, and come back.</p>`;
  return html`<form method="post" action="${assistantsPath(setUp)}">
    ${csrf} <input type="hidden" name="assistant" value="${id}" />
    <p>
      Registered once, it serves everybody who may use this configuration. It gets no secret; each person is asked
      before it may act for them, and is sent back to:
    </p>
    <ul>
      ${redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}
    </ul>
    <p class="buttons"><button aria-label="Register ${name}">Register</button></p>
  </form>`;
}

const otherAssistants = ({ setUp: { address, others }, isAdmin }: AssistantsPage): Html =>
  html`<details class="sheet" id="other">
    <summary><strong>Any other assistant</strong></summary>
    <p>It speaks MCP over streamable HTTP, with OAuth. This is the address of the server:</p>
    ${paste(address)}
    ${
      others.length
        ? html`<p>Registered for this configuration by hand, with these client ids:</p>
            ${others.map(
              (client) =>
                html`<p>
                    ${renderMarkedText(client.name)}${client.type === 'confidential' && html` <small>with a secret</small>`}${client.disabledAt && html` <small>stopped</small>`}
                  </p>
                  ${paste(client.id)}`,
            )}`
        : html`<p>It needs a client id: no other one is registered for this configuration.</p>`
    }
    <p class="faint">
      ${
        isAdmin
          ? html`Register it in <a href="/graphiql">GraphiQL</a> with <code>createOauthClient</code>, target
              <code>mcp</code>, and the redirect addresses that its maker names.`
          : 'An administrator registers it, with the redirect addresses that its maker names.'
      }
    </p>
  </details>`;

const assistantsPath = ({ configuration }: Pick<AssistantsOverview, 'configuration'>): string =>
  `/configurations/${configuration.id}/assistants`;
