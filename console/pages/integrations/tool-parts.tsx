import { Badge, Group } from '@mantine/core';
import { StateBadge } from '../../kit/state-badge.tsx';

export const effectNames = { read: 'Reads', write: 'Writes', destructive: 'Destructive' };
export type Effect = keyof typeof effectNames;

interface States {
  effect: Effect;
  heldBack: boolean;
  operation: string;
  confirmedAt: string | null;
  pausedAt: string | null;
  goneAt: string | null;
}

/** The protocol itself defines it as reading. */
export const isReadByProtocol = ({ operation, effect }: Pick<States, 'operation' | 'effect'>): boolean =>
  operation !== 'tool' && effect === 'read';

/** Nobody has said what it does yet, and somebody has to. */
export const isUnread = (tool: Pick<States, 'operation' | 'effect' | 'confirmedAt' | 'goneAt'>): boolean =>
  !tool.goneAt && !tool.confirmedAt && !isReadByProtocol(tool);

/** What keeps a tool from being called, or that nobody has read its definition yet. */
export const ToolStates = ({ of }: { of: States }) => (
  <Group gap={6}>
    {of.goneAt && <StateBadge state="removed" label="Not offered any more" />}
    {of.heldBack && !of.goneAt && <StateBadge state="waiting" label="Held back" />}
    {of.pausedAt && <StateBadge state="paused" label="Paused" />}
    {isUnread(of) && <Badge color="gray">Not confirmed</Badge>}
    {of.confirmedAt && !of.heldBack && !of.goneAt && <StateBadge state="active" label="Confirmed" />}
  </Group>
);

interface Claims {
  readOnlyHint?: unknown;
  destructiveHint?: unknown;
  openWorldHint?: unknown;
}

/** What the server says about a tool, in words. It counts for nothing where it says that a tool is harmless. */
export function claimsOf(annotations: unknown): string[] {
  const { readOnlyHint, destructiveHint, openWorldHint } = (annotations ?? {}) as Claims;
  return [
    readOnlyHint === true && 'only reads',
    destructiveHint === true && 'may remove or overwrite for good',
    destructiveHint === false && 'removes nothing',
    openWorldHint === true && 'reaches systems outside',
  ].filter((claim) => claim !== false);
}
