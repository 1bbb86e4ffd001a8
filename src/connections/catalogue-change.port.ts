export type ChangedList = 'tools' | 'resources' | 'prompts';

/** What changed in a connected system: one of its lists, or a resource with subscribers. */
export type CatalogueChange = ChangedList | { updated: string };

export interface UpstreamChange {
  connectionId: string;
  change: CatalogueChange;
  /** The member who subscribed to the resource. The update was seen with their account and concerns no one else. */
  memberId?: string;
}

/** Encoded as the id of a wakeup, so no table is needed: a process that misses it polls later. */
export const encodeUpstreamChange = ({ connectionId, change, memberId = '-' }: UpstreamChange): string =>
  typeof change === 'string'
    ? `${connectionId} ${memberId} ${change}`
    : `${connectionId} ${memberId} updated ${change.updated}`;

export function decodeUpstreamChange(id: string): UpstreamChange {
  const [, connectionId, member, kind, uri] = /^(\S+) (\S+) (\w+)(?: ([^]*))?$/.exec(id)!;
  return {
    connectionId,
    change: kind === 'updated' ? { updated: uri } : (kind as ChangedList),
    ...(member !== '-' && { memberId: member }),
  };
}
