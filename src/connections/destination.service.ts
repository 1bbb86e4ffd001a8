import type { Connection } from './connection.entity.js';
import type { ConnectionField, ConnectorKind } from './connection-kinds.service.js';
import { withoutQueries } from './settings.js';

export interface DestinationPart {
  /** "Address" */
  label: string;
  value: string;
  type: ConnectionField['type'];
}

/** Where a connection leads, in the words of its kind: what may not change without clearing its credentials. No keys. */
export function destinationOf(kind: ConnectorKind | null, { settings }: Connection): DestinationPart[] {
  const shown = withoutQueries(settings);
  return (kind?.fields ?? [])
    .filter((field) => field.type === 'url' || field.isTarget)
    .flatMap(({ name, label, type }) => (shown[name] == null ? [] : [{ label, value: String(shown[name]), type }]));
}
