import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool } from '../gate/gate.service.js';
import type { Names } from './names.js';
import { inOrder } from './page.js';

const nameOf = ({ name }: Tool): string => name;
const made = new WeakMap<readonly ListedTool[], { alone: string | null; tools: Tool[] }>();

/** In the order of their names. The gate gives the same list as long as nothing changes, and so do we. */
export function toolsOnWire(listed: readonly ListedTool[], names: Names): Tool[] {
  const known = made.get(listed);
  if (known && known.alone === names.alone) return known.tools;
  const tools = listed.map((tool) => toolOnWire(tool, names)).sort(inOrder(nameOf));
  made.set(listed, { alone: names.alone, tools });
  return tools;
}

/**
 * Whether a tool's output schema is told: it is a promise that every result keeps it. Where a person may have to decide first
 * there is a result that tells of the waiting; and older clients take no schema of anything but an object.
 */
export const isPromised = ({ outputSchema, verdict }: ListedTool): boolean =>
  verdict === 'allow' && outputSchema?.type === 'object';

/** Hints say what an administrator has confirmed, whatever the server claims. */
function toolOnWire(tool: ListedTool, names: Names): Tool {
  const { name, title, description, inputSchema, outputSchema, effect } = tool;
  return {
    name: names.shown(name),
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(isPromised(tool) ? { outputSchema: outputSchema as Tool['outputSchema'] } : {}),
    annotations: { title, readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
  };
}
