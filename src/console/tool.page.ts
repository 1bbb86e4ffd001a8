import type { Tool } from '../connections/tool.entity.js';
import { claimedEffect } from '../connections/tools.service.js';
import type { Problem } from '../platform/errors/problem.js';
import { html, type Html, notice, type PageContent, renderMarkedText } from '../platform/http/page.js';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import { diffLines, type DiffGap, type DiffSegment, type DiffRow } from './line-diff.js';

export interface ToolPage {
  tool: Tool;
  organization: string;
  person: string;
  csrf: Html;
  problem?: Problem;
}

/** The definition that an administrator reads before classifying a tool; if it changed, next to the confirmed one. */
export function toolPage(content: ToolPage): PageContent {
  const { tool, organization, person, problem } = content;
  return {
    title: tool.isPendingReview ? `Changed: ${tool.name}` : tool.name,
    status: problem?.status ?? 200,
    isWide: true,
    headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
    body: html`${notice(problem?.message)} ${toolStatus(tool)} ${tool.isPendingReview && changes(tool)}
      ${fullDefinition(tool)} ${tool.goneAt ? '' : decision(content)}
      <p><a class="alone" href="/tools">Tools pending review</a></p>`,
  };
}

function toolStatus({ isPendingReview, goneAt, pausedAt, connectionSlug }: Tool): Html {
  const integration = html`the integration <code>${connectionSlug}</code>`;
  if (goneAt) return html`<p>Currently ${integration} does not offer this tool.</p>`;
  const paused = pausedAt && html`<p class="notice">This tool is also paused: all its calls are denied.</p>`;
  return isPendingReview
    ? html`<p>
          The definition of this tool at ${integration} differs from the confirmed one. All calls of the tool are denied
          until you review the changes. Language models read this text: look for instructions in it, and for arguments
          that request more than the tool needs.
        </p>
        ${paused}`
    : html`<p>This tool of ${integration} matches its confirmed definition. Policies decide its calls.</p>
        ${paused}`;
}

const partLabels: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
  annotations: 'Annotations from the server',
  server: 'Server',
};

function changes({ confirmedDefinition, definition }: Tool): Html {
  const before = confirmedDefinition ?? {};
  const parts = [...new Set([...Object.keys(partLabels), ...Object.keys(before), ...Object.keys(definition)])];
  const changed = parts.filter((part) => textOf(before, part) !== textOf(definition, part));
  return html`${changed.map(
    (part) =>
      html`<section>
        <h2>${partLabels[part] ?? part}</h2>
        <table class="difference">
          <thead>
            <tr>
              <th scope="col">Confirmed</th>
              <th scope="col">Current</th>
            </tr>
          </thead>
          <tbody>
            ${diffLines(textOf(before, part), textOf(definition, part)).map(row)}
          </tbody>
        </table>
      </section>`,
  )}`;
}

function textOf(definition: JsonObject, part: string): string {
  const value: JsonValue | undefined = definition[part];
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const row = (row: DiffRow | DiffGap): Html =>
  'left' in row
    ? html`<tr class="gap">
        <td colspan="2">${row.left} unchanged lines</td>
      </tr>`
    : html`<tr class="${row.isSame ? 'same' : 'changed'}">
        <td>${segmentCells(row.before, 'del')}</td>
        <td>${segmentCells(row.after, 'ins')}</td>
      </tr>`;

const segmentCells = (line: DiffSegment[] | null, element: 'del' | 'ins'): Html | null =>
  line &&
  html`<pre>
${line.map(({ text, isOther }) => (isOther ? changeElements[element](renderMarkedText(text)) : renderMarkedText(text)))}</pre>`;

const changeElements = {
  del: (text: Html): Html => html`<del>${text}</del>`,
  ins: (text: Html): Html => html`<ins>${text}</ins>`,
};

/** HTML ignores a line break right after `<pre>`, so one is added. */
const fullDefinition = ({ definition, definitionHash, isPendingReview }: Tool): Html =>
  html`<details class="sheet" ${!isPendingReview && html`open`}>
    <summary>${isPendingReview ? 'Current definition' : 'Full definition'}</summary>
    <pre>${'\n'}${renderMarkedText(JSON.stringify(definition, null, 2))}</pre>
    <p class="faint">SHA-256 ${definitionHash}</p>
  </details>`;

const effectOptions = [
  ['read', 'Read-only', 'The default policy allows its calls.'],
  ['write', 'Write: can change or send something', 'The default policy requires an approval for each call.'],
  ['destructive', 'Destructive: can permanently delete or overwrite something', 'The default policy denies its calls.'],
] as const;

function decision({ tool, csrf }: ToolPage): Html {
  const isClaimed = claimedEffect(tool.annotations) === 'destructive';
  const radio = ([effect, label, help]: (typeof effectOptions)[number]) => {
    const isOut = isClaimed && effect !== 'destructive';
    return html`<p class="field choice">
      <label
        ><input
          type="radio"
          name="effect"
          value="${effect}"
          required
          ${tool.effect === effect && html`checked`}
          ${isOut && html`disabled`}
        />
        ${label}</label
      >
      <small>${isOut ? 'The server declares this tool destructive.' : help}</small>
    </p>`;
  };
  return html`<form class="sheet" method="post" action="/tools/${tool.id}">
    ${csrf} <input type="hidden" name="definition" value="${tool.definitionHash}" />
    <fieldset>
      <legend>Effect of the tool</legend>
      ${effectOptions.map(radio)}
    </fieldset>
    <p class="buttons"><button>${tool.isPendingReview ? 'Confirm definition' : 'Save'}</button></p>
  </form>`;
}
