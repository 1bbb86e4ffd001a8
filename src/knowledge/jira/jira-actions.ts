import { z } from 'zod';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import { beforeWrite, toolRefusal } from '../atlassian/atlassian-tool.js';
import { chosenContainers } from '../atlassian/chosen-containers.js';
import { formatNote } from '../atlassian/written-text.js';
import { toolOutcome } from '../source-kit/tool-outcome.js';
import type { ConnectJira, JiraClient } from './jira-client.js';
import { createdComment, createdIssue, issueProject, projectName, transitionList } from './jira-schemas.js';

const issueKey = {
  type: 'string',
  minLength: 1,
  maxLength: 50,
  description: 'Key or id of the issue, for example BILL-12.',
};
const result = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { ...properties, url: { type: 'string' } },
  required: [...Object.keys(properties), 'url'],
});

export const jiraTools: DiscoveredTool[] = [
  {
    name: 'create_issue',
    title: 'Create an issue',
    description: `Creates an issue in a Jira project. ${formatNote}`,
    inputSchema: {
      type: 'object',
      properties: {
        project: {
          type: 'string',
          minLength: 1,
          maxLength: 50,
          description: 'Key or id of the project, for example BILL.',
        },
        type: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'Name of the issue type, for example Task.',
        },
        summary: { type: 'string', minLength: 1, maxLength: 255 },
        description: { type: 'string', maxLength: 30_000 },
        labels: { type: 'array', items: { type: 'string', pattern: '^\\S{1,255}$' }, maxItems: 20 },
        parent: { ...issueKey, description: 'Key of the parent issue.' },
      },
      required: ['project', 'type', 'summary'],
      additionalProperties: false,
    },
    outputSchema: result({ id: { type: 'string' }, key: { type: 'string' } }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'add_comment',
    title: 'Add a comment',
    description: `Adds a comment to a Jira issue. Everyone who can read the issue sees it. ${formatNote}`,
    inputSchema: {
      type: 'object',
      properties: { issue: issueKey, text: { type: 'string', minLength: 1, maxLength: 30_000 } },
      required: ['issue', 'text'],
      additionalProperties: false,
    },
    outputSchema: result({ id: { type: 'string' } }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: 'transition_issue',
    title: 'Move an issue to another status',
    description: 'Executes the workflow transition of a Jira issue that leads to a status.',
    inputSchema: {
      type: 'object',
      properties: {
        issue: issueKey,
        status: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          description: 'Name of the status, or of the transition.',
        },
      },
      required: ['issue', 'status'],
      additionalProperties: false,
    },
    outputSchema: result({ key: { type: 'string' }, status: { type: 'string' } }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
];

const createArguments = z.object({
  project: z.string(),
  type: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  labels: z.array(z.string()).optional(),
  parent: z.string().optional(),
});
const commentArguments = z.object({ issue: z.string(), text: z.string() });
const transitionArguments = z.object({ issue: z.string(), status: z.string() });

export function executeJiraTool(
  context: ConnectionContext,
  call: ConnectorCall,
  connect: ConnectJira,
): Promise<ToolResult> {
  return toolOutcome(true, async () => {
    const actions = new JiraActions(context, connect(context, { isInteractive: true }));
    if (call.tool === 'create_issue') return actions.create(createArguments.parse(call.arguments));
    if (call.tool === 'add_comment') return actions.comment(commentArguments.parse(call.arguments));
    if (call.tool === 'transition_issue') return actions.transition(transitionArguments.parse(call.arguments));
    return toolRefusal(`Jira has no tool “${call.tool}”.`);
  });
}

/** Jira has no idempotency keys. A repeated call creates a second issue or comment. */
class JiraActions {
  private readonly chosen: ReadonlySet<string> | null;

  constructor(
    context: ConnectionContext,
    private readonly jira: JiraClient,
  ) {
    this.chosen = chosenContainers(context.settings);
  }

  async create({
    project,
    type,
    summary,
    description,
    labels,
    parent,
  }: z.infer<typeof createArguments>): Promise<ToolResult> {
    const { id, key } = await this.read(`${this.jira.api}/project/${encodeURIComponent(project)}`, projectName);
    if (this.isExcluded(id)) return notChosen(key);
    const fields = {
      project: { id },
      issuetype: { name: type },
      summary,
      ...(description && { description: this.jira.fromWritten(description) }),
      ...(labels?.length && { labels }),
      ...(parent && { parent: { key: parent } }),
    };
    const request = { method: 'POST', path: `${this.jira.api}/issue`, body: { fields }, schema: createdIssue } as const;
    const created = (await this.jira.rest.request(request)).body;
    return this.done(`Created ${created.key}.`, created.key, { id: created.id, key: created.key });
  }

  async comment({ issue, text }: z.infer<typeof commentArguments>): Promise<ToolResult> {
    const { id, key, fields } = await this.issue(issue);
    if (this.isExcluded(fields.project.id)) return notChosen(key);
    const path = `${this.jira.api}/issue/${encodeURIComponent(id)}/comment`;
    const request = {
      method: 'POST',
      path,
      body: { body: this.jira.fromWritten(text) },
      schema: createdComment,
    } as const;
    const created = (await this.jira.rest.request(request)).body;
    return this.done(`Added a comment to ${key}.`, key, { id: created.id }, `?focusedCommentId=${created.id}`);
  }

  async transition({ issue, status }: z.infer<typeof transitionArguments>): Promise<ToolResult> {
    const { id, key, fields } = await this.issue(issue);
    if (this.isExcluded(fields.project.id)) return notChosen(key);
    const wanted = status.toLowerCase();
    if (fields.status?.name.toLowerCase() === wanted)
      return this.done(`${key} already has the status “${fields.status.name}”.`, key, {
        key,
        status: fields.status.name,
      });
    const path = `${this.jira.api}/issue/${encodeURIComponent(id)}/transitions`;
    const { transitions } = await this.read(path, transitionList);
    const found =
      transitions.find(({ to }) => to?.name.toLowerCase() === wanted) ??
      transitions.find(({ name }) => name.toLowerCase() === wanted);
    if (!found) {
      const names = transitions.map(({ name, to }) => to?.name || name).join(', ');
      return toolRefusal(
        `No transition of ${key} leads to “${status}”. Possible: ${names || 'none for this account'}.`,
      );
    }
    const body = { transition: { id: found.id } };
    await this.jira.rest.request({ method: 'POST', path, body, schema: z.unknown() });
    const reached = found.to?.name || found.name;
    return this.done(`${key} now has the status “${reached}”.`, key, { key, status: reached });
  }

  private issue(keyOrId: string): Promise<z.infer<typeof issueProject>> {
    const path = `${this.jira.api}/issue/${encodeURIComponent(keyOrId)}`;
    return this.read(path, issueProject, { fields: 'project,status' });
  }

  private async read<T>(path: string, schema: z.ZodType<T>, query?: Record<string, string>): Promise<T> {
    return beforeWrite(this.jira.rest.get(path, schema, query));
  }

  private isExcluded(projectId: string): boolean {
    return this.chosen !== null && !this.chosen.has(projectId);
  }

  private done(text: string, key: string, structured: Record<string, JsonValue>, suffix = ''): ToolResult {
    const url = `${this.jira.site}/browse/${encodeURIComponent(key)}${suffix}`;
    const content = [{ type: 'text' as const, text: `${text} ${url}` }];
    return { content, structured: { ...structured, url }, isError: false, url, outside: true };
  }
}

const notChosen = (key: string): ToolResult =>
  toolRefusal(`${key} is not in one of the chosen projects of this integration.`);
