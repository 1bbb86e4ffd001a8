export type ChangedList = 'tools' | 'resources' | 'prompts';

/** What is new behind a connection: one of its lists, or one resource that somebody subscribed to. */
export type CatalogueChange = ChangedList | { updated: string };

export interface UpstreamChange {
  connectionId: string;
  change: CatalogueChange;
  /** Who followed the resource. It was seen with their account, and concerns nobody else. */
  memberId?: string;
}

/** As the id of a wake, so that it needs no table: whoever misses it asks again in a while. */
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
