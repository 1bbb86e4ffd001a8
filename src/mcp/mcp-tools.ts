import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool } from '../gate/gate.service.js';
import type { WireNames } from './wire-names.js';
import { compareBy } from './page.js';

const nameOf = ({ name }: Tool): string => name;
const toolsByListing = new WeakMap<readonly ListedTool[], { unprefixedSlug: string | null; tools: Tool[] }>();

/** Sorted by name. Cached by identity: the gate returns the same array until something changes. */
export function toMcpTools(listed: readonly ListedTool[], wireNames: WireNames): Tool[] {
  const cached = toolsByListing.get(listed);
  if (cached && cached.unprefixedSlug === wireNames.unprefixedSlug) return cached.tools;
  const tools = listed.map((tool) => toMcpTool(tool, wireNames)).sort(compareBy(nameOf));
  toolsByListing.set(listed, { unprefixedSlug: wireNames.unprefixedSlug, tools });
  return tools;
}

/**
 * A declared output schema promises that every result matches it. A call that may need an approval can return a pending
 * result instead, and older clients accept only schemas of type object.
 */
export const declaresOutputSchema = ({ outputSchema, verdict }: ListedTool): boolean =>
  verdict === 'allow' && outputSchema?.type === 'object';

/** Hints use the effect that an administrator confirmed, not the upstream server's own claim. */
function toMcpTool(tool: ListedTool, wireNames: WireNames): Tool {
  const { name, title, description, inputSchema, outputSchema, effect } = tool;
  return {
    name: wireNames.toWireName(name),
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(declaresOutputSchema(tool) ? { outputSchema: outputSchema as Tool['outputSchema'] } : {}),
    annotations: { title, readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
  };
}
