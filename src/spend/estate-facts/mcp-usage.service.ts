import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import {
  type ReportingConnection,
  type ServerUse,
  type ServerUser,
  serversInUse,
  serverUsers,
  reportingConnections,
} from './mcp-usage.sql.js';

export type { ServerUse } from './mcp-usage.sql.js';

/** MCP servers that assistants called, as reported by vendors. */
@Injectable()
export class McpUsageService {
  /** Connections whose vendor reports MCP usage, with the first day. */
  listReportingConnections(tx: Tx, { tenantId }: Principal): Promise<ReportingConnection[]> {
    return tx.run(reportingConnections, [tenantId]);
  }

  /** Most used first, at most `first`. */
  listServers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, since }: { connectionId: string; since: Day },
    first: number,
  ): Promise<ServerUse[]> {
    return tx.run(serversInUse, [tenantId, connectionId, since, first]);
  }

  listUsers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, server, since }: { connectionId: string; server: string; since: Day },
  ): Promise<ServerUser[]> {
    return tx.run(serverUsers, [tenantId, connectionId, server, since]);
  }
}
