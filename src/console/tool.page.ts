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

/** A definition as an administrator reads it before saying what the tool does: beside the confirmed one, where it changed. */
export function toolPage(content: ToolPage): PageContent {
  const { tool, organization, person, problem } = content;
  return {
    title: tool.heldBack ? `Changed: ${tool.name}` : tool.name,
    status: problem?.status ?? 200,
    isWide: true,
    headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
    body: html`${notice(problem?.message)} ${toolStatus(tool)} ${tool.heldBack && changes(tool)} ${fullDefinition(tool)}
      ${tool.goneAt ? '' : decision(content)}
      <p><a href="/tools">Tools that are held back</a></p>`,
  };
}

function toolStatus({ heldBack, goneAt, pausedAt, connectionSlug }: Tool): Html {
  const integration = html`the integration <code>${connectionSlug}</code>`;
  if (goneAt) return html`<p>At present ${integration} does not offer this tool.</p>`;
  const paused = pausedAt && html`<p class="notice">This tool is paused, too: no call of it goes through.</p>`;
  return heldBack
    ? html`<p>
          What ${integration} says about this tool is not what was confirmed. No call of it goes through until somebody
          has read what changed. Text in a definition is read by language models: look for instructions in it, and for
          arguments that ask for more than the tool needs.
        </p>
        ${paused}`
    : html`<p>This is the tool of ${integration} as it was confirmed; calls of it go through where policies allow.</p>
        ${paused}`;
}

const partLabels: Record<string, string> = {
  name: 'Name',
  title: 'Title',
  description: 'Description',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
  annotations: 'What the server claims about it',
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
              <th scope="col">As it was confirmed</th>
              <th scope="col">As it is now</th>
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
        <td colspan="2">${row.left} lines that did not change</td>
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

/** HTML drops the first line break in a `pre`: there is one for it to drop. */
const fullDefinition = ({ definition, definitionHash, heldBack }: Tool): Html =>
  html`<details class="sheet" ${!heldBack && html`open`}>
    <summary>All of its definition${heldBack && ' as it is now'}</summary>
    <pre>${'\n'}${renderMarkedText(JSON.stringify(definition, null, 2))}</pre>
    <p class="faint">SHA-256 ${definitionHash}</p>
  </details>`;

const effectOptions = [
  ['read', 'It only reads', 'By the policies that a configuration starts with, calls are allowed.'],
  [
    'write',
    'It changes or sends something',
    'By the policies that a configuration starts with, each call waits for a person.',
  ],
  [
    'destructive',
    'It may remove or overwrite something for good',
    'By the policies that a configuration starts with, calls are denied.',
  ],
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
      <small>${isOut ? 'The server itself calls it destructive.' : help}</small>
    </p>`;
  };
  return html`<form class="sheet" method="post" action="/tools/${tool.id}">
    ${csrf} <input type="hidden" name="definition" value="${tool.definitionHash}" />
    <fieldset>
      <legend>What it does, as you understand it</legend>
      ${effectOptions.map(radio)}
    </fieldset>
    <p class="buttons"><button>${tool.heldBack ? 'Confirm this definition' : 'Save'}</button></p>
  </form>`;
}
