import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import { serversInUse, serverUsers, reportingConnections } from './mcp-usage.sql.js';

/** Usage of an MCP server, by the name that the vendor reports. */
export interface ServerUse {
  connectionId: string;
  server: string;
  calls: number;
  people: number;
  firstDay: Day;
  lastDay: Day;
}

/** A person who called a server, with all known email addresses. */
export interface ServerUser {
  emails: string[];
}

/** MCP servers that assistants called, as reported by vendors. */
@Injectable()
export class McpUsageService {
  /** Connections whose vendor reports MCP usage, with the first day and the connector, which is the vendor's name. */
  listReportingConnections(
    tx: Tx,
    { tenantId }: Principal,
  ): Promise<{ connectionId: string; vendor: string; firstDay: Day }[]> {
    return tx.query(reportingConnections, [tenantId]);
  }

  /** Most used first, at most `first`. */
  listServers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, since }: { connectionId: string; since: Day },
    first: number,
  ): Promise<ServerUse[]> {
    return tx.query(serversInUse, [tenantId, connectionId, since, first]);
  }

  listUsers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, server, since }: { connectionId: string; server: string; since: Day },
  ): Promise<ServerUser[]> {
    return tx.query(serverUsers, [tenantId, connectionId, server, since]);
  }
}
