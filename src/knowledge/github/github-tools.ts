import { z } from 'zod';
import { NotSent } from '../../connections/connections.error.js';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import { selectedIds } from '../source-kit/selected-containers.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { toolOutcome } from '../source-kit/tool-outcome.js';
import { GithubApi } from './github-api.js';

const repository = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$',
  description: 'Owner and name, for example acme/billing',
};
const number = { type: 'integer', minimum: 1, description: 'Number of the issue or pull request' };
const body = { type: 'string', minLength: 1, maxLength: 60_000, description: 'GitHub Markdown' };

/** None of them reads, because only the search of knowledge enforces the permissions of each person. */
export const githubTools: DiscoveredTool[] = [
  {
    name: 'create_issue',
    title: 'Create issue',
    description: 'Creates an issue in a repository. GitHub notifies its watchers.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['repository', 'title'],
      properties: {
        repository,
        title: { type: 'string', minLength: 1, maxLength: 256 },
        body,
        labels: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 50 } },
      },
    },
  },
  {
    name: 'comment',
    title: 'Comment',
    description: 'Adds a comment to an issue or pull request. GitHub notifies its participants.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['repository', 'number', 'body'],
      properties: { repository, number, body },
    },
  },
  {
    name: 'set_issue_state',
    title: 'Close or reopen',
    description: 'Closes or reopens an issue, or a pull request without merging it.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['repository', 'number', 'state'],
      properties: {
        repository,
        number,
        state: { type: 'string', enum: ['open', 'closed'] },
        reason: {
          type: 'string',
          enum: ['completed', 'not_planned'],
          description: 'Why it is closed; only for issues',
        },
      },
    },
  },
];

const written = z.object({
  id: z.number(),
  html_url: z.string(),
  number: z.number().optional(),
  state: z.string().optional(),
});
type Written = z.output<typeof written>;

export async function executeGithub(context: ConnectionContext, call: ConnectorCall): Promise<ToolResult> {
  return toolOutcome(true, async () => {
    const api = new GithubApi(context, { isInteractive: true });
    const { repository: name, ...args } = call.arguments;
    const id = await chosenRepository(api, context, String(name));
    if (id === null) {
      const reason = 'This connection does not include the repository.';
      return { content: [{ type: 'text', text: reason }], isError: true, reason, outside: true };
    }
    return { ...(await run(api, `/repositories/${id}/issues`, call.tool, args)), outside: true };
  });
}

async function run(
  api: GithubApi,
  path: string,
  tool: string,
  args: ConnectorCall['arguments'],
): Promise<Omit<ToolResult, 'outside'>> {
  const send = async (method: 'POST' | 'PATCH', to: string, sent: object) =>
    (await api.rest.request({ method, path: to, body: sent, schema: written })).body;
  if (tool === 'create_issue') {
    const { title, body: text, labels } = args;
    const issue = await send('POST', path, { title, body: text, labels });
    return writtenResult(`Created issue #${issue.number}: ${issue.html_url}`, issue);
  }
  if (tool === 'comment') {
    const comment = await send('POST', `${path}/${Number(args.number)}/comments`, { body: args.body });
    return writtenResult(`Added a comment: ${comment.html_url}`, comment);
  }
  if (tool === 'set_issue_state') {
    const { state, reason } = args;
    const isClosed = state === 'closed';
    const issue = await send('PATCH', `${path}/${Number(args.number)}`, {
      state,
      ...(isClosed && reason && { state_reason: reason }),
    });
    if (issue.state === state) return writtenResult(`#${issue.number} is ${state}: ${issue.html_url}`, issue);
    return { content: [{ type: 'text', text: `GitHub left #${issue.number} ${issue.state}.` }], isError: true };
  }
  return { content: [{ type: 'text', text: `There is no tool "${tool}".` }], isError: true };
}

function writtenResult(text: string, { id, html_url: url, number: issueNumber }: Written): Omit<ToolResult, 'outside'> {
  const structured = { id, url, ...(issueNumber !== undefined && { number: issueNumber }) };
  return { content: [{ type: 'text', text }], structured, isError: false, ...(URL.canParse(url) && { url }) };
}

/** The id of the repository, so that a rename between two requests has no effect. Null if it was not chosen. */
async function chosenRepository(api: GithubApi, { settings }: ConnectionContext, name: string): Promise<number | null> {
  // "." and ".." would change the path of the request
  if (name.split('/').some((part) => part === '.' || part === '..')) return null;
  const { id } = await api.rest.get(`/repos/${name}`, z.object({ id: z.number() })).catch((error: unknown) => {
    if (!isSourceFault(error, 'unavailable', 'too-large', 'unreadable')) throw error;
    throw new NotSent(error.message, { cause: error });
  });
  const chosen = selectedIds(settings);
  return !chosen || chosen.includes(id) ? id : null;
}
