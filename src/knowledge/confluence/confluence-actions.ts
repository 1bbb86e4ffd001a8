import { z } from 'zod';
import type {
  ConnectionContext,
  ConnectorCall,
  DiscoveredTool,
  ToolResult,
} from '../../connections/connector-registry.service.js';
import { beforeWrite, toolRefusal } from '../atlassian/atlassian-tool.js';
import { chosenContainers } from '../atlassian/chosen-containers.js';
import { toolOutcome } from '../source-kit/tool-outcome.js';
import { formatNote } from '../atlassian/written-text.js';
import type { ConfluenceClient, ConnectConfluence } from './confluence-client.js';
import { toStorage } from './written-storage.js';

export const confluenceTools: DiscoveredTool[] = [
  {
    name: 'create_page_draft',
    title: 'Create a page draft',
    description: `Creates a draft of a Confluence page. Only the account of the integration sees it until it is published. ${formatNote}`,
    inputSchema: {
      type: 'object',
      properties: {
        space: { type: 'string', minLength: 1, maxLength: 255, description: 'Key of the space, for example ENG.' },
        title: { type: 'string', minLength: 1, maxLength: 255 },
        text: { type: 'string', minLength: 1, maxLength: 100_000 },
        parent: { type: 'string', pattern: '^\\d{1,20}$', description: 'Id of the parent page.' },
      },
      required: ['space', 'title', 'text'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, url: { type: 'string' } },
      required: ['id', 'url'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
];

const draftArguments = z.object({
  space: z.string(),
  title: z.string(),
  text: z.string(),
  parent: z.string().optional(),
});

export function executeConfluenceTool(
  context: ConnectionContext,
  call: ConnectorCall,
  connect: ConnectConfluence,
): Promise<ToolResult> {
  return toolOutcome(true, async () => {
    if (call.tool !== 'create_page_draft') return toolRefusal(`Confluence has no tool “${call.tool}”.`);
    const confluence = connect(context, { isInteractive: true });
    return createDraft(confluence, chosenContainers(context.settings), draftArguments.parse(call.arguments));
  });
}

async function createDraft(
  confluence: ConfluenceClient,
  chosen: ReadonlySet<string> | null,
  { space: key, title, text, parent }: z.infer<typeof draftArguments>,
): Promise<ToolResult> {
  const space = await beforeWrite(confluence.spaceByKey(key));
  if (!space) return toolRefusal(`Confluence has no space “${key}”, or the account cannot see it.`);
  if (chosen && !chosen.has(space.id))
    return toolRefusal(`The space ${key} is not one of the chosen spaces of this integration.`);
  if (parent && (await beforeWrite(confluence.page(parent))).spaceId !== space.id)
    return toolRefusal(`The parent page is not in the space ${key}.`);
  const { id, url } = await confluence.createDraft({ space, title, storage: toStorage(text), parentId: parent });
  return {
    content: [{ type: 'text', text: `Created a draft of “${title}” in ${key}. ${url}` }],
    structured: { id, url },
    isError: false,
    url,
    outside: true,
  };
}
