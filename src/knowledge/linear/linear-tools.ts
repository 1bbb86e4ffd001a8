import { z } from 'zod';
import { NotSent, OutcomeUnknown, SourcePaused } from '../../connections/connections.error.js';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import { beforeSending, toolOutcome } from '../source-kit/tool-outcome.js';
import { LinearApi, type LinearApiOptions } from './linear-api.js';
import { linearQueries } from './linear-queries.js';
import { openLinearWorkspace, type LinearWorkspace } from './linear-teams.js';

const issueProperty = { type: 'string', pattern: '^[\\w-]{1,60}$', description: 'Identifier such as ENG-12, or id.' };
const schema = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const additive = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

export const linearTools: DiscoveredTool[] = [
  {
    name: 'create_issue',
    title: 'Create an issue in Linear',
    description: 'Creates an issue in a team of this integration.',
    inputSchema: schema(
      {
        team: { type: 'string', pattern: '^[\\w-]{1,60}$', description: 'Key of the team, such as ENG.' },
        title: { type: 'string', minLength: 1, maxLength: 250 },
        description: { type: 'string', maxLength: 50_000, description: 'Markdown.' },
        priority: { type: 'integer', minimum: 0, maximum: 4, description: '0 none, 1 urgent, 2 high, 3 medium, 4 low' },
      },
      ['team', 'title'],
    ),
    annotations: additive,
  },
  {
    name: 'comment',
    title: 'Comment on an issue in Linear',
    description: 'Adds a comment to an issue of a team of this integration.',
    inputSchema: schema(
      { issue: issueProperty, body: { type: 'string', minLength: 1, maxLength: 50_000, description: 'Markdown.' } },
      ['issue', 'body'],
    ),
    annotations: additive,
  },
  {
    name: 'set_state',
    title: 'Change the state of an issue in Linear',
    description: 'Moves an issue of a team of this integration to another state of its workflow.',
    inputSchema: schema(
      {
        issue: issueProperty,
        state: { type: 'string', minLength: 1, maxLength: 100, description: 'Name, such as In Progress.' },
      },
      ['issue', 'state'],
    ),
    // not destructive: the issue keeps its history and can be moved back
    annotations: { ...additive, idempotentHint: true },
  },
];

const stateSchema = z.object({ id: z.string(), name: z.string() });
const issueSchema = z.object({
  issue: z.object({
    id: z.string(),
    identifier: z.string(),
    url: z.string(),
    team: z.object({ id: z.string(), states: z.object({ nodes: z.array(stateSchema) }) }),
    state: stateSchema,
  }),
});
type FoundIssue = z.infer<typeof issueSchema>['issue'];

type Arguments = Record<'team' | 'title' | 'issue' | 'body' | 'state', string> & {
  description?: string;
  priority?: number;
};

/** A call of a tool. */
class LinearCall {
  private readonly api: LinearApi;
  private readonly args: Arguments;
  /** The id of the new object. Linear accepts ids from clients and rejects duplicates, so a retry has no second effect. */
  private readonly id: string;

  constructor(
    private readonly context: ConnectionContext,
    { arguments: args, idempotencyKey }: ConnectorCall,
    options: LinearApiOptions,
  ) {
    this.api = new LinearApi(context, options);
    this.args = args as Arguments;
    this.id = uuidOf(idempotencyKey);
  }

  async createIssue(): Promise<ToolResult> {
    const { team: key, title, description, priority } = this.args;
    const { teams, selected } = await this.workspace();
    const team = [...teams.values()].find((one) => selected.has(one.id) && (one.key === key || one.id === key));
    if (!team) throw new NotSent(`The team ${key} is not part of this integration.`);
    const input = { id: this.id, teamId: team.id, title, description, priority };
    return this.write(linearQueries.createIssue, { input }, async () => {
      const issue = await this.findIssue(this.id);
      return issue && done(`Created ${issue.identifier}`, issue.url, issue.identifier);
    });
  }

  async comment(): Promise<ToolResult> {
    const issue = await this.issue();
    const input = { id: this.id, issueId: issue.id, body: this.args.body };
    return this.write(linearQueries.createComment, { input }, async () => {
      const found = await this.found(
        this.api.query(linearQueries.comment, { id: this.id }, z.object({ comment: z.object({ url: z.string() }) })),
      );
      return found && done(`Commented on ${issue.identifier}`, found.comment.url, issue.identifier);
    });
  }

  async setState(): Promise<ToolResult> {
    const issue = await this.issue();
    const name = this.args.state.trim().toLowerCase();
    const state = issue.team.states.nodes.find((one) => one.name.toLowerCase() === name);
    const names = issue.team.states.nodes.map((one) => one.name).join(', ');
    if (!state)
      throw new NotSent(`The team of ${issue.identifier} has no state "${this.args.state}". It has: ${names}.`);
    return this.write(linearQueries.setState, { id: issue.id, stateId: state.id }, async () => {
      const now = await this.findIssue(issue.id);
      return now?.state.id === state.id
        ? done(`Moved ${issue.identifier} to ${state.name}`, issue.url, issue.identifier)
        : null;
    });
  }

  /** Sends the mutation once, and then checks its effect regardless of the response. */
  private async write(query: string, variables: Record<string, unknown>, effect: () => Promise<ToolResult | null>) {
    let refusal: ToolResult | null = null;
    let failure: OutcomeUnknown | null = null;
    try {
      refusal = await toolOutcome(true, async () => {
        await this.api.query(query, variables, z.unknown(), true);
        return sent;
      });
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      failure = error;
    }
    const result = await effect().catch((error: unknown) => {
      if (error instanceof SourceRequestError || error instanceof SourcePaused) return null; // the outcome is then unknown
      throw error;
    });
    if (result) return result;
    // a real rejection: a duplicate id of an earlier attempt is also rejected, but then its effect was found
    if (refusal?.isError) return refusal;
    throw failure ?? new OutcomeUnknown('Linear does not show the change yet.');
  }

  private workspace(): Promise<LinearWorkspace> {
    return beforeSending(() => openLinearWorkspace(this.api, this.context.settings));
  }

  /** Issues can be changed only in teams that the integration also reads. */
  private async issue(): Promise<FoundIssue> {
    const { selected } = await this.workspace();
    const issue = await beforeSending(() => this.findIssue(this.args.issue));
    if (!issue || !selected.has(issue.team.id))
      throw new NotSent(`There is no issue ${this.args.issue} in the teams of this integration.`);
    return issue;
  }

  private async findIssue(id: string): Promise<FoundIssue | null> {
    return (await this.found(this.api.query(linearQueries.issue, { id }, issueSchema)))?.issue ?? null;
  }

  private found<T>(query: Promise<T>): Promise<T | null> {
    return query.catch((error: unknown) => {
      if (isSourceFault(error, 'missing')) return null;
      throw error;
    });
  }
}

export async function executeLinearTool(
  context: ConnectionContext,
  call: ConnectorCall,
  options: LinearApiOptions,
): Promise<ToolResult> {
  const one = new LinearCall(context, call, options);
  if (call.tool === 'create_issue') return one.createIssue();
  if (call.tool === 'comment') return one.comment();
  if (call.tool === 'set_state') return one.setState();
  throw new NotSent(`Linear has no tool ${call.tool}.`);
}

const sent: ToolResult = { content: [], isError: false, outside: true };

const done = (what: string, url: string, issue: string): ToolResult => ({
  content: [{ type: 'text', text: `${what}: ${url}` }],
  structured: { issue, url },
  isError: false,
  outside: true,
  url,
});

/** Derives a UUID from the key, in the format of version 4, which Linear requires. */
function uuidOf(key: string): string {
  const hex = sha256(`linear ${key}`).toString('hex');
  const variant = '89ab'[parseInt(hex[16], 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
