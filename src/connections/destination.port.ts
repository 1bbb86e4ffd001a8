import type { Connection } from './connection.entity.js';
import type { ConnectorField, Connector } from './connector-registry.service.js';
import { withoutQueries } from './settings.js';

export interface DestinationPart {
  /** "Address" */
  label: string;
  value: string;
  type: ConnectorField['type'];
}

/** Where a connection leads: the fields whose change clears its credentials, with the connector's labels. No keys. */
export function destinationOf(connector: Connector | null, { settings }: Connection): DestinationPart[] {
  const shown = withoutQueries(settings);
  return (connector?.fields ?? [])
    .filter((field) => field.type === 'url' || field.isTarget)
    .flatMap(({ name, label, type }) => (shown[name] == null ? [] : [{ label, value: String(shown[name]), type }]));
}
