import type { JsonObject } from '../platform/json/strict-json.js';
import type { ResultRules } from './result-rules.js';
import type { Effect, Operation, Tool } from './tool.entity.js';

/** A tool as the gate sees it, from a connection or a module of this application. */
export interface OfferedTool {
  /** `<slug>__<tool>` */
  name: string;
  /** null: built in (knowledge, delegation). */
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
  /** No administrator has confirmed its description and schemas: they are text of another system. */
  isForeign: boolean;
  /** What happens to its results. Absent: they are passed on unchanged. */
  resultRules?: ResultRules;
}

/** Whether callers see it as a tool, which includes delegations. The others are separate protocol operations. */
export const isCallable = ({ operation }: Pick<OfferedTool, 'operation'>): boolean =>
  operation === 'tool' || operation === 'delegation';

/** Columns that only administrators see. */
type AdministratorField = 'isPendingReview' | 'goneAt' | 'definition' | 'confirmedDefinition' | 'confirmedBy';

/** A row of `tools` joined with its connection. */
export interface OfferedToolRow extends Omit<Tool, AdministratorField> {
  connectionRevision: number;
  connectionPausedAt: Date | null;
  connectionKind: string;
  connectionResultRules: ResultRules | null;
}

/**
 * Connectors whose definitions are text of this application or the organization. A test checks them against
 * `speaksForUs`.
 */
export const trustedConnectorIds: ReadonlySet<string> = new Set(['configuration', 'sandbox']);

export const offeredToolOfRow = (row: OfferedToolRow): OfferedTool => {
  const resultRules = row.resultRules ?? row.connectionResultRules;
  return {
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
    ...(resultRules && { resultRules }),
  };
};

const joinedLists = new WeakMap<readonly OfferedTool[], { own: OfferedTool[]; all: readonly OfferedTool[] }>();

/** Built-in tools before those of connections. The same lists return the same array. */
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

/** Why the tool that would be called now differs from the one that was decided about; null if it does not. */
export function staleToolReason(decided: OfferedTool, row: OfferedToolRow | null): string | null {
  if (!row || row.connectionId !== decided.connectionId) return `${decided.name} is no longer offered.`;
  const now = offeredToolOfRow(row);
  if (now.isPaused) return `${decided.name} is paused.`;
  if (now.connectionRevision !== decided.connectionRevision) return 'The connection changed in the meantime.';
  if (now.definitionHash !== decided.definitionHash || now.isPendingReview)
    return `The definition of ${decided.name} changed; an administrator must confirm it.`;
  return null;
}
