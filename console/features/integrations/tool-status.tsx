import { Badge, Group } from '@mantine/core';
import { StateBadge } from '../../kit/state-badge.tsx';

export const effectNames = { read: 'Read-only', write: 'Write', destructive: 'Destructive' };
export type Effect = keyof typeof effectNames;

interface ToolState {
  effect: Effect;
  isPendingReview: boolean;
  operation: string;
  confirmedAt: string | null;
  pausedAt: string | null;
  goneAt: string | null;
}

/** MCP defines this operation as read-only. */
export const isReadOnlyByProtocol = ({ operation, effect }: Pick<ToolState, 'operation' | 'effect'>): boolean =>
  operation !== 'tool' && effect === 'read';

/** The tool requires a review and has none yet. */
export const isUnreviewed = (tool: Pick<ToolState, 'operation' | 'effect' | 'confirmedAt' | 'goneAt'>): boolean =>
  !tool.goneAt && !tool.confirmedAt && !isReadOnlyByProtocol(tool);

/** Why a tool cannot be called, and whether its definition is confirmed. */
export const ToolStatus = ({ of }: { of: ToolState }) => (
  <Group gap={6}>
    {of.goneAt && <StateBadge state="removed" label="No longer offered" />}
    {of.isPendingReview && !of.goneAt && <StateBadge state="waiting" label="Blocked" />}
    {of.pausedAt && <StateBadge state="paused" label="Paused" />}
    {isUnreviewed(of) && <Badge color="gray">Unreviewed</Badge>}
    {of.confirmedAt && !of.isPendingReview && !of.goneAt && <StateBadge state="active" label="Confirmed" />}
  </Group>
);

interface Annotations {
  readOnlyHint?: unknown;
  destructiveHint?: unknown;
  openWorldHint?: unknown;
}

/** The annotations of the server, for display. A claim that a tool is harmless has no effect. */
export function annotationNames(annotations: unknown): string[] {
  const { readOnlyHint, destructiveHint, openWorldHint } = (annotations ?? {}) as Annotations;
  return [
    readOnlyHint === true && 'read-only',
    destructiveHint === true && 'destructive',
    destructiveHint === false && 'not destructive',
    openWorldHint === true && 'open world',
  ].filter((annotation) => annotation !== false);
}
