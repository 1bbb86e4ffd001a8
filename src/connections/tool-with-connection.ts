import type { JsonObject } from '../platform/json/strict-json.js';
import type { Connection } from './connection.entity.js';
import type { OfferedToolRow } from './offered-tool.js';

/** Columns of the entity, for statements that join it. */
export const connectionColumns: Record<keyof Connection, string> = {
  tenantId: 'tenant_id',
  id: 'id',
  kind: 'kind',
  name: 'name',
  slug: 'slug',
  settings: 'settings',
  revision: 'revision',
  status: 'status',
  statusReason: 'status_reason',
  verifiedAt: 'verified_at',
  pausedAt: 'paused_at',
  removedAt: 'removed_at',
  createdAt: 'created_at',
  changedAt: 'changed_at',
  changedBy: 'changed_by',
  resultRules: 'result_rules',
};

/** A row of `openTool`; the columns of the connection are named `its.…`. */
export type ToolWithConnectionRow = OfferedToolRow & {
  server: JsonObject | null;
  secretNames: string[];
  sealed: Buffer[];
} & { [Property in keyof Connection as `its.${Property}`]: Connection[Property] };

export const connectionOfRow = (row: ToolWithConnectionRow): Connection => {
  const properties = Object.keys(connectionColumns) as (keyof Connection)[];
  return Object.fromEntries(properties.map((property) => [property, row[`its.${property}`]])) as never;
};

export const sealedSecretsOfRow = ({
  secretNames,
  sealed,
}: ToolWithConnectionRow): { name: string; sealed: Buffer }[] =>
  secretNames.map((name, nth) => ({ name, sealed: sealed[nth] }));
