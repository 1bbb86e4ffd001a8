import type {
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
  ServerCapabilities,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { DiscoveredTool, ToolResult } from '../connections/connector-registry.service.js';
import type { Operation } from '../connections/tool.entity.js';
import { cleanText } from './clean.js';
import { toContent } from './mcp-result.js';
import { truncate } from '../platform/text/truncate.js';

/** A read operation that the protocol defines besides tools. Its method name is also its tool name. */
interface ProtocolOperation {
  operation: Exclude<Operation, 'tool' | 'delegation'>;
  name: 'resources/read' | 'prompts/get' | 'completion/complete';
  title: string;
  description: string;
  inputSchema: JsonObject;
}

const textProperty = (description: string, maxLength = 10_000): JsonObject => ({
  type: 'string',
  maxLength,
  description,
});
const textMapProperty = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});
const closedObject = (properties: JsonObject, required: string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const protocolOperations: ProtocolOperation[] = [
  {
    operation: 'resources',
    name: 'resources/read',
    title: 'Read a resource',
    description:
      'Reads one of the resources that the server lists, or one of the addresses that its templates describe.',
    inputSchema: closedObject({ uri: textProperty('Address of the resource, as the server names it.') }, ['uri']),
  },
  {
    operation: 'prompts',
    name: 'prompts/get',
    title: 'Get a prompt',
    description: 'Gets one of the prompts that the server lists, filled in with arguments.',
    inputSchema: closedObject(
      {
        name: textProperty('Name of the prompt.', 1000),
        arguments: textMapProperty('Values of the prompt’s arguments, by their names.'),
      },
      ['name'],
    ),
  },
  {
    operation: 'completions',
    name: 'completion/complete',
    title: 'Complete an argument',
    description: 'Suggests values for an argument of a prompt, or of the template of a resource, while it is typed.',
    inputSchema: closedObject(
      {
        ref: closedObject(
          {
            type: { type: 'string', enum: ['ref/prompt', 'ref/resource'] },
            name: textProperty('Name of the prompt.', 1000),
            uri: textProperty('Template of the resource’s address.'),
          },
          ['type'],
        ),
        argument: closedObject(
          { name: textProperty('Name of the argument.', 1000), value: textProperty('What was typed so far.') },
          ['name', 'value'],
        ),
        context: closedObject({ arguments: textMapProperty('Values that were chosen already.') }, []),
      },
      ['ref', 'argument'],
    ),
  },
];

/** Listed before the server’s tools, so that no tool can take the name of an operation. */
export const protocolOperationsOf = (capabilities: ServerCapabilities, server: JsonObject): DiscoveredTool[] =>
  protocolOperations
    .filter(({ operation }) => capabilities[operation] !== undefined)
    .map((operation) => ({ ...operation, server }));

/**
 * Limit for one result. A resource is read completely or not at all: a truncated one would be mistaken for the whole.
 */
const maxOperationResultLength = 4 * 1024 * 1024;

export function contentsResult({ contents }: ReadResourceResult): ToolResult {
  const size = contents.reduce((sum, part) => sum + ('text' in part ? part.text : part.blob).length, 0);
  if (size > maxOperationResultLength) return tooLargeResult('The resource');
  return structuredResult({
    contents: contents.map((part) => ({
      uri: cleanText(part.uri),
      ...(part.mimeType !== undefined && { mimeType: cleanText(part.mimeType) }),
      ...('text' in part ? { text: cleanText(part.text) } : { blob: part.blob }),
    })),
  });
}

export function promptResult({ description, messages }: GetPromptResult): ToolResult {
  const budget = { text: maxOperationResultLength, blob: maxOperationResultLength };
  return structuredResult({
    ...(description !== undefined && { description: truncate(cleanText(description), 4000) }),
    messages: messages.map(({ role, content }) => ({ role, content: toContent(content, budget) as JsonObject })),
  });
}

const maxSuggestionLength = 2000;

export const completionResult = ({ completion: { values, total, hasMore } }: CompleteResult): ToolResult =>
  structuredResult({
    completion: {
      values: values.map((value) => truncate(cleanText(value), maxSuggestionLength)),
      ...(total !== undefined && { total }),
      ...(hasMore !== undefined && { hasMore }),
    },
  });

const structuredResult = (structured: JsonObject): ToolResult => ({
  content: [],
  structured,
  isError: false,
  outside: true,
});

function tooLargeResult(what: string): ToolResult {
  const reason = `${what} is larger than ${maxOperationResultLength / 1024 / 1024} MiB.`;
  return { content: [{ type: 'text', text: reason }], reason, isError: true, outside: false };
}
