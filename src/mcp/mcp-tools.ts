import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool } from '../gate/gate.service.js';
import type { WireNames } from './wire-names.js';
import { compareBy } from './page.js';

const nameOf = ({ name }: Tool): string => name;
const toolsByListing = new WeakMap<readonly ListedTool[], { alone: string | null; tools: Tool[] }>();

/** In the order of their names. The gate gives the same list as long as nothing changes, and so do we. */
export function toMcpTools(listed: readonly ListedTool[], wireNames: WireNames): Tool[] {
  const known = toolsByListing.get(listed);
  if (known && known.alone === wireNames.unprefixedSlug) return known.tools;
  const tools = listed.map((tool) => toMcpTool(tool, wireNames)).sort(compareBy(nameOf));
  toolsByListing.set(listed, { alone: wireNames.unprefixedSlug, tools });
  return tools;
}

/**
 * Whether a tool's output schema is told: it is a promise that every result keeps it. Where a person may have to decide first
 * there is a result that tells of the waiting; and older clients take no schema of anything but an object.
 */
export const declaresOutputSchema = ({ outputSchema, verdict }: ListedTool): boolean =>
  verdict === 'allow' && outputSchema?.type === 'object';

/** Hints say what an administrator has confirmed, whatever the server claims. */
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
