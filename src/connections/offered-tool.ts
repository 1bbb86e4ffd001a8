import type { JsonObject } from '../platform/json/strict-json.js';
import type { Effect, Operation, Tool } from './tool.entity.js';

/** A tool as the gate sees it, whoever carries it out. */
export interface OfferedTool {
  /** `<slug>__<tool>` */
  name: string;
  /** null: one of ours (knowledge, delegation). */
  connectionId: string | null;
  connectionSlug: string;
  connectionRevision: number;
  operation: Operation;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  effect: Effect;
  definitionHash: string;
  /** The tool or its connection was paused. */
  isPaused: boolean;
  /** Its definition changed since an administrator confirmed it. */
  isPendingReview: boolean;
  /** Nobody has confirmed its description and schemas yet: they are words of another system. */
  isForeign: boolean;
}

/** What callers see as a tool, a delegation among them; the rest are operations of their own. */
export const isCallable = ({ operation }: Pick<OfferedTool, 'operation'>): boolean =>
  operation === 'tool' || operation === 'delegation';

/** Of a tool, what only administrators look at. */
type AdministratorField = 'heldBack' | 'goneAt' | 'definition' | 'confirmedDefinition' | 'confirmedBy';

/** A row of `tools` with what its connection says. */
export interface OfferedToolRow extends Omit<Tool, AdministratorField> {
  connectionRevision: number;
  connectionPausedAt: Date | null;
  connectionKind: string;
}

/** Kinds whose definitions are words of ours or of the organization. A test compares them with what the kinds say. */
export const trustedConnectorIds: ReadonlySet<string> = new Set(['configuration', 'sandbox']);

export const offeredToolOfRow = (row: OfferedToolRow): OfferedTool => ({
  name: row.name,
  connectionId: row.connectionId,
  connectionSlug: row.connectionSlug,
  connectionRevision: row.connectionRevision,
  operation: row.operation,
  title: row.title,
  description: row.description,
  inputSchema: row.inputSchema,
  ...(row.outputSchema && { outputSchema: row.outputSchema }),
  effect: row.effect,
  definitionHash: row.definitionHash,
  isPaused: row.pausedAt !== null || row.connectionPausedAt !== null,
  isPendingReview: row.confirmedHash !== null && row.confirmedHash !== row.definitionHash,
  isForeign: row.confirmedAt === null && !trustedConnectorIds.has(row.connectionKind),
});

const joinedLists = new WeakMap<readonly OfferedTool[], { own: OfferedTool[]; all: readonly OfferedTool[] }>();

/** Ours before those of connections; the same lists come to the same array. */
export function joinToolLists(
  connected: readonly OfferedTool[],
  ownLists: readonly OfferedTool[][],
): readonly OfferedTool[] {
  const own = ownLists.flat();
  const known = joinedLists.get(connected);
  if (known && known.own.length === own.length && known.own.every((tool, index) => tool === own[index]))
    return known.all;
  const all = [...own, ...connected];
  joinedLists.set(connected, { own, all });
  return all;
}

/** Why what was decided about is not what would be called now. */
export function staleToolReason(decided: OfferedTool, row: OfferedToolRow | null): string | null {
  if (!row || row.connectionId !== decided.connectionId) return `${decided.name} is not offered any more.`;
  const now = offeredToolOfRow(row);
  if (now.isPaused) return `${decided.name} is paused.`;
  if (now.connectionRevision !== decided.connectionRevision) return 'The connection was changed in the meantime.';
  if (now.definitionHash !== decided.definitionHash || now.isPendingReview)
    return `The definition of ${decided.name} changed; an administrator has to confirm it.`;
  return null;
}
