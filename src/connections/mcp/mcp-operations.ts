import type {
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
  ServerCapabilities,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { DiscoveredTool, ToolResult } from '../connection-kinds.service.js';
import type { Operation } from '../tool.entity.js';
import { clean } from './clean.js';
import { toContent } from './mcp-result.js';
import { cut } from '../../platform/text/cut.js';

/** What the protocol defines as reading, besides tools: by the name of its method, which the names of ours are made of. */
interface Described {
  operation: Exclude<Operation, 'tool' | 'delegation'>;
  name: 'resources/read' | 'prompts/get' | 'completion/complete';
  title: string;
  description: string;
  inputSchema: JsonObject;
}

const text = (description: string, maxLength = 10_000): JsonObject => ({ type: 'string', maxLength, description });
const texts = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});
const closed = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const described: Described[] = [
  {
    operation: 'resources',
    name: 'resources/read',
    title: 'Read a resource',
    description:
      'Reads one of the resources that the server lists, or one of the addresses that its templates describe.',
    inputSchema: closed({ uri: text('Address of the resource, as the server names it.') }, ['uri']),
  },
  {
    operation: 'prompts',
    name: 'prompts/get',
    title: 'Get a prompt',
    description: 'Gets one of the prompts that the server lists, filled in with arguments.',
    inputSchema: closed(
      {
        name: text('Name of the prompt.', 1000),
        arguments: texts('Values of the prompt’s arguments, by their names.'),
      },
      ['name'],
    ),
  },
  {
    operation: 'completions',
    name: 'completion/complete',
    title: 'Complete an argument',
    description: 'Suggests values for an argument of a prompt, or of the template of a resource, while it is typed.',
    inputSchema: closed(
      {
        ref: closed(
          {
            type: { type: 'string', enum: ['ref/prompt', 'ref/resource'] },
            name: text('Name of the prompt.', 1000),
            uri: text('Template of the resource’s address.'),
          },
          ['type'],
        ),
        argument: closed({ name: text('Name of the argument.', 1000), value: text('What was typed so far.') }, [
          'name',
          'value',
        ]),
        context: closed({ arguments: texts('Values that were chosen already.') }, []),
      },
      ['ref', 'argument'],
    ),
  },
];

/** Before the server’s tools: none of these may take such a name. */
export const operationsOf = (capabilities: ServerCapabilities, server: JsonObject): DiscoveredTool[] =>
  described
    .filter(({ operation }) => capabilities[operation] !== undefined)
    .map((operation) => ({ ...operation, server }));

/** All that one answer may hold. A resource is read whole or not at all: half of it would be taken for all of it. */
const mostOfAnswer = 4 * 1024 * 1024;

export function contentsResult({ contents }: ReadResourceResult): ToolResult {
  const size = contents.reduce((sum, part) => sum + ('text' in part ? part.text : part.blob).length, 0);
  if (size > mostOfAnswer) return tooLarge('The resource');
  return answered({
    contents: contents.map((part) => ({
      uri: clean(part.uri),
      ...(part.mimeType !== undefined && { mimeType: clean(part.mimeType) }),
      ...('text' in part ? { text: clean(part.text) } : { blob: part.blob }),
    })),
  });
}

export function promptResult({ description, messages }: GetPromptResult): ToolResult {
  const room = { text: mostOfAnswer, blob: mostOfAnswer };
  return answered({
    ...(description !== undefined && { description: cut(clean(description), 4000) }),
    messages: messages.map(({ role, content }) => ({ role, content: toContent(content, room) as JsonObject })),
  });
}

const longestSuggestion = 2000;

export const completionResult = ({ completion: { values, total, hasMore } }: CompleteResult): ToolResult =>
  answered({
    completion: {
      values: values.map((value) => cut(clean(value), longestSuggestion)),
      ...(total !== undefined && { total }),
      ...(hasMore !== undefined && { hasMore }),
    },
  });

const answered = (structured: JsonObject): ToolResult => ({ content: [], structured, isError: false, outside: true });

function tooLarge(what: string): ToolResult {
  const reason = `${what} is larger than ${mostOfAnswer / 1024 / 1024} MiB.`;
  return { content: [{ type: 'text', text: reason }], reason, isError: true, outside: false };
}
