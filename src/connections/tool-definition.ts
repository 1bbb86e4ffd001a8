import { sha256 } from '../platform/crypto/digest.js';
import { canonicalJson, StrictJsonError } from '../platform/json/strict-json.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { DiscoveredTool } from './connector-registry.service.js';
import type { Effect } from './tool.entity.js';

/** Limit of model vendors and assistants, which also accept only [A-Za-z0-9_-]. */
const maxToolNameLength = 64;
const maxDefinitionBytes = 64 * 1024;

/** What an administrator confirms and an approval is bound to. Any change puts the tool in pending review. */
export function toolDefinitionOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  server,
  operation = 'tool',
}: DiscoveredTool): JsonObject {
  const kind = operation === 'tool' ? undefined : operation;
  const parts = { name, title, description, inputSchema, outputSchema, annotations, server, operation: kind };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as JsonObject;
}

export const hashDefinition = (definition: JsonObject): string => sha256(canonicalJson(definition)).toString('hex');

/** Why a tool cannot be offered; null if it can. */
export function unusableReason(tool: DiscoveredTool): string | null {
  if (!tool.name.trim()) return 'it has no name';
  if (tool.inputSchema.type !== 'object') return 'its input schema is not of type object';
  try {
    const size = Buffer.byteLength(canonicalJson(toolDefinitionOf(tool)));
    return size > maxDefinitionBytes ? `its definition is larger than ${maxDefinitionBytes / 1024} KiB` : null;
  } catch (error) {
    if (error instanceof RangeError) return 'its definition is nested too deeply';
    if (error instanceof StrictJsonError) return `its definition contains invalid JSON (${error.message})`;
    throw error;
  }
}

/**
 * Effect of a newly discovered tool. The protocol defines its other operations as reads. A remote agent's actions are
 * not visible here; each call of one of our own agents is evaluated separately.
 */
export const initialEffect = ({ operation = 'tool', annotations, server }: DiscoveredTool): Effect =>
  operation === 'tool' || (operation === 'delegation' && server) ? claimedEffect(annotations) : 'read';

/** The minimum effect according to annotations. A claim that a tool is harmless is ignored. */
export const claimedEffect = (annotations: JsonObject | null | undefined): Effect =>
  annotations?.destructiveHint === true ? 'destructive' : 'write';

/**
 * The effect that the annotations claim, to prefill a review; null if they claim nothing. Only an administrator can
 * confirm it.
 */
export function suggestedEffect(annotations: JsonObject | null | undefined): Effect | null {
  const { destructiveHint, readOnlyHint } = annotations ?? {};
  if (destructiveHint === true) return 'destructive';
  if (readOnlyHint === true) return 'read';
  return readOnlyHint === false || destructiveHint === false ? 'write' : null;
}

const effectRank: Record<Effect, number> = { read: 0, write: 1, destructive: 2 };
export const strongerEffect = (a: Effect, b: Effect): Effect => (effectRank[a] >= effectRank[b] ? a : b);

/** `<slug>__<tool>` in the characters and length that all clients accept; unique among `taken`. */
export function toolName(slug: string, upstreamName: string, taken: ReadonlySet<string>): string {
  const name = `${slug}__${upstreamName.replace(/[^A-Za-z0-9_-]+/g, '_')}`;
  if (name.length <= maxToolNameLength && !taken.has(name)) return name;
  const mark = `_${sha256(upstreamName).toString('hex').slice(0, 8)}`;
  return name.slice(0, maxToolNameLength - mark.length) + mark;
}
