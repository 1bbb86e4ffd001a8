import { z } from 'zod';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import { NotSent } from '../../connections/connections.error.js';
import { selectedIds } from '../source-kit/selected-containers.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { toolOutcome } from '../source-kit/tool-outcome.js';
import { GitlabApi } from './gitlab-api.js';

const project = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.-]{1,255}(/[A-Za-z0-9_.-]{1,255}){1,20}$',
  description: 'Path with groups, for example acme/shop/billing',
};
const kind = { type: 'string', enum: ['issue', 'merge_request'] };
const number = { type: 'integer', minimum: 1, description: 'Number in the project, such as 7 for #7 or !7' };
const body = { type: 'string', minLength: 1, maxLength: 60_000, description: 'GitLab Markdown' };
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

/** None of them reads, because only the search of knowledge enforces the permissions of each person. */
export const gitlabTools: DiscoveredTool[] = [
  {
    name: 'create_issue',
    title: 'Create issue',
    description: 'Creates an issue in a project. GitLab notifies its watchers.',
    annotations: adds,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['project', 'title'],
      properties: {
        project,
        title: { type: 'string', minLength: 1, maxLength: 255 },
        description: body,
        labels: { type: 'array', maxItems: 20, items: { type: 'string', pattern: '^[^,]{1,255}$' } },
        confidential: { type: 'boolean', description: 'Only Reporters, the author and assignees can read it' },
      },
    },
  },
  {
    name: 'comment',
    title: 'Comment',
    description: 'Adds a comment to an issue or merge request. GitLab notifies its participants.',
    annotations: adds,
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['project', 'kind', 'number', 'body'],
      properties: { project, kind, number, body },
    },
  },
  {
    name: 'set_state',
    title: 'Close or reopen',
    description: 'Closes or reopens an issue, or a merge request without merging it.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['project', 'kind', 'number', 'state'],
      properties: { project, kind, number, state: { type: 'string', enum: ['opened', 'closed'] } },
    },
  },
];

const thread = z.object({ id: z.number(), iid: z.number(), state: z.string(), web_url: z.string() });
type Thread = z.output<typeof thread>;
type ToolAnswer = Omit<ToolResult, 'outside'>;
interface ChosenProject {
  id: number;
  web_url: string;
}

export async function executeGitlab(context: ConnectionContext, call: ConnectorCall): Promise<ToolResult> {
  return toolOutcome(true, async () => {
    const { description, body: comment } = call.arguments;
    if ([description, comment].some((text) => typeof text === 'string' && hasQuickAction(text)))
      return refused(
        'A line begins with "/" and a word. GitLab would execute it as a quick action, such as closing or assigning. Write it differently.',
      );
    const api = new GitlabApi(context, { isInteractive: true });
    const chosen = await findChosenProject(api, context, String(call.arguments.project));
    if (!chosen) return refused('This connection does not include the project.');
    return { ...(await run(api, chosen, call)), outside: true };
  });
}

/** GitLab also executes them in the description of a new issue. */
const hasQuickAction = (text: string): boolean => /(^|[\r\n])[^\S\r\n]*\/[a-z]/i.test(text);

const refused = (reason: string): ToolResult => ({
  content: [{ type: 'text', text: reason }],
  isError: true,
  reason,
  outside: true,
});

async function run(api: GitlabApi, { id, web_url: home }: ChosenProject, call: ConnectorCall): Promise<ToolAnswer> {
  const { title, description, labels, confidential, kind: target, number: iid, body: text, state } = call.arguments;
  if (call.tool === 'create_issue') {
    const sent = { title, description, confidential, labels: Array.isArray(labels) ? labels.join(',') : undefined };
    const path = `/projects/${id}/issues`;
    const { body: issue } = await api.rest.request({ method: 'POST', path, body: sent, schema: thread });
    return written(`Created issue #${issue.iid}: ${issue.web_url}`, issue.id, issue.web_url, issue.iid);
  }
  const stage = target === 'merge_request' ? 'merge_requests' : 'issues';
  const path = `/projects/${id}/${stage}/${Number(iid)}`;
  if (call.tool === 'comment') {
    const request = { path: `${path}/notes`, body: { body: text }, schema: z.object({ id: z.number() }) };
    const { body: note } = await api.rest.request({ method: 'POST', ...request });
    const url = `${home}/-/${stage}/${Number(iid)}#note_${note.id}`;
    return written(`Added a comment: ${url}`, note.id, url);
  }
  if (call.tool === 'set_state') {
    const event = state === 'closed' ? 'close' : 'reopen';
    const { body: changed } = await api.rest.request({
      method: 'PUT',
      path,
      body: { state_event: event },
      schema: thread,
    });
    return stateResult(changed, String(state));
  }
  return { content: [{ type: 'text', text: `There is no tool "${call.tool}".` }], isError: true };
}

function stateResult({ id, iid, state: reached, web_url: url }: Thread, wanted: string): ToolAnswer {
  if (reached === wanted) return written(`${iid} is ${reached}: ${url}`, id, url, iid);
  return { content: [{ type: 'text', text: `GitLab left ${iid} ${reached}.` }], isError: true };
}

function written(text: string, id: number, url: string, number?: number): ToolAnswer {
  const structured = { id, url, ...(number !== undefined && { number }) };
  return { content: [{ type: 'text', text }], structured, isError: false, ...(URL.canParse(url) && { url }) };
}

/** With the id of the project, so that a rename between two requests has no effect. Null if it was not chosen. */
async function findChosenProject(
  api: GitlabApi,
  { settings }: ConnectionContext,
  path: string,
): Promise<ChosenProject | null> {
  const schema = z.object({ id: z.number(), web_url: z.string() });
  const found = await api.rest.get(`/projects/${encodeURIComponent(path)}`, schema).catch((error: unknown) => {
    if (!isSourceFault(error, 'unavailable', 'too-large', 'unreadable')) throw error;
    throw new NotSent(error.message, { cause: error });
  });
  const chosen = selectedIds(settings);
  return !chosen || chosen.includes(found.id) ? found : null;
}
