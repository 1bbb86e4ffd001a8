import type { Tool } from '@modelcontextprotocol/server';
import type { ListedTool } from '../gate/gate.service.js';
import type { Names } from './names.js';

/**
 * Hints say what an administrator has confirmed, whatever the server claims. An output schema is a promise that every result
 * keeps it; where a person may have to decide first there is a result that tells of the waiting, so none is made.
 */
export function toolOnWire(tool: ListedTool, names: Names): Tool {
  const { name, title, description, inputSchema, outputSchema, effect, verdict } = tool;
  return {
    name: names.shown(name),
    title,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    ...(outputSchema && verdict === 'allow' ? { outputSchema: outputSchema as Tool['outputSchema'] } : {}),
    annotations: { title, readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive' },
  };
}
