import type { AccountView } from '../upstream-accounts/own-accounts.service.js';
import type { AssistantSetup, AssistantsOverview } from '../oauth/assistants/assistants.service.js';
import type { Problem } from '../platform/errors/problem.js';
import { html, type Html, notice, type PageContent, renderMarkedText } from '../platform/http/page.js';
import { paste, pasteScript } from './paste.js';

export interface AssistantsPage {
  setUp: AssistantsOverview;
  /** The person's accounts at integrations that need one, connected or not. */
  accounts: AccountView[];
  organization: string;
  person: string;
  csrf: Html;
  /** The person may register assistants. */
  isAdmin: boolean;
  /** The expanded assistant. */
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
        An assistant acts at ${renderMarkedText(organization)} on your behalf: it can do what you can, within the
        policies of this configuration. Some calls wait for an approval. It signs in through your browser without a key,
        and
        <a href="/connected">you can disconnect it at any time</a>.
      </p>
      ${setUp.configuration.description && html`<p class="faint">${renderMarkedText(setUp.configuration.description)}</p>`}
      ${setUp.isUsable && ownAccounts(content.accounts)}
      ${setUp.assistants.map((assistant) => assistantSection(assistant, content))} ${otherAssistants(content)}
      <p>
        <a class="alone" href="/assistants">All configurations</a> · <a class="alone" href="/account">Your account</a>${
          content.isAdmin &&
          html` ·
            <a class="alone" href="/console/agents/capabilities/configurations/${setUp.configuration.id}/mcp"
              >${renderMarkedText(setUp.configuration.name)} in the console</a
            >`
        }
      </p>`,
  };
}

const warnings = ({ configuration: { pausedAt }, isUsable }: AssistantsOverview): Html =>
  html`${pausedAt && html`<p class="notice">This configuration is paused. It rejects all calls until an administrator resumes it.</p>`}
  ${
    !isUsable &&
    html`<p class="notice">
      None of your groups has access to this configuration. You can register assistants for others, but your own
      assistant cannot connect.
    </p>`
  }`;

/** Shown up front because an assistant would otherwise stop at the first call that needs an account. */
const ownAccounts = (accounts: AccountView[]): Html | false =>
  accounts.length > 0 &&
  html`<section class="sheet">
    <p>Some integrations require your own account:</p>
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
  const state = client ? (client.disabledAt ? 'disabled' : 'ready') : 'not registered';
  return html`<details class="sheet" id="${id}" ${content.open === id && html`open`}>
    <summary><strong>${name}</strong> <small>${hint && `${hint} · `}${state}</small></summary>
    ${client?.disabledAt && html`<p class="notice">An administrator disabled this assistant.</p>`}
    ${assistant.obstacle && html`<p class="notice">${assistant.obstacle}</p>`}
    ${client ? steps(assistant) : registrationForm(assistant, content)}
  </details>`;
}

const steps = ({ steps }: AssistantSetup): Html =>
  html`<ol class="steps">
    ${steps.map((step) => html`<li>${step.say} ${step.paste && paste(step.paste)}</li>`)}
  </ol>`;

/** Administrators get the button; other members learn whom to ask. */
function registrationForm({ id, name, redirectUris }: AssistantSetup, { isAdmin, setUp, csrf }: AssistantsPage): Html {
  if (!isAdmin)
    return html`<p>${name} is not registered yet. Ask an administrator to register it, then return to this page.</p>`;
  return html`<form method="post" action="${assistantsPath(setUp)}">
    ${csrf} <input type="hidden" name="assistant" value="${id}" />
    <p>
      After you register it, everyone with access to this configuration can use it. It gets no secret, and each person
      must consent before it acts on their behalf. Redirect URIs:
    </p>
    <ul>
      ${redirectUris.map((uri) => html`<li><code>${uri}</code></li>`)}
    </ul>
    <p class="buttons"><button aria-label="Register ${name}">Register</button></p>
  </form>`;
}

const otherAssistants = ({ setUp: { address, configuration, others }, isAdmin }: AssistantsPage): Html =>
  html`<details class="sheet" id="other">
    <summary><strong>Other assistants</strong></summary>
    <p>The assistant must support MCP over streamable HTTP with OAuth. Server URL:</p>
    ${paste(address)}
    ${
      others.length
        ? html`<p>Client IDs that are registered for this configuration:</p>
            ${others.map(
              (client) =>
                html`<p>
                    ${renderMarkedText(client.name)}${client.type === 'confidential' && html` <small>with a secret</small>`}${client.disabledAt && html` <small>disabled</small>`}
                  </p>
                  ${paste(client.id)}`,
            )}`
        : html`<p>It also needs a client ID. No other client is registered for this configuration.</p>`
    }
    <p class="faint">
      ${
        isAdmin
          ? html`<a href="/console/organization/developer-access/new?configuration=${configuration.id}">Register it</a>
              as an external client, with the redirect URIs from the vendor’s documentation.`
          : 'An administrator can register it, with the redirect URIs from the vendor’s documentation.'
      }
    </p>
  </details>`;

const assistantsPath = ({ configuration }: Pick<AssistantsOverview, 'configuration'>): string =>
  `/configurations/${configuration.id}/assistants`;
