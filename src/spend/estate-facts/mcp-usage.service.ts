import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../principal/principal.js';
import type { Day } from '../usage-row.js';
import { serversInUse, serverUsers, reportingConnections } from './mcp-usage.sql.js';

/** An MCP server, by the name under which the vendor counted calls. */
export interface ServerUse {
  connectionId: string;
  server: string;
  calls: number;
  people: number;
  firstDay: Day;
  lastDay: Day;
}

/** Somebody who called a server: all addresses that are known as theirs. */
export interface ServerUser {
  emails: string[];
}

/** Which MCP servers assistants called, as vendors count it. */
@Injectable()
export class McpUsageService {
  /** Connections whose vendor tells it, and since which day; with the kind of the connection, which is the vendor's name. */
  listReportingConnections(
    tx: EntityManager,
    { tenantId }: Principal,
  ): Promise<{ connectionId: string; vendor: string; firstDay: Day }[]> {
    return tx.query(reportingConnections, [tenantId]);
  }

  /** The most used first, at most `first`. */
  listServers(
    tx: EntityManager,
    { tenantId }: Principal,
    { connectionId, since }: { connectionId: string; since: Day },
    first: number,
  ): Promise<ServerUse[]> {
    return tx.query(serversInUse, [tenantId, connectionId, since, first]);
  }

  listUsers(
    tx: EntityManager,
    { tenantId }: Principal,
    { connectionId, server, since }: { connectionId: string; server: string; since: Day },
  ): Promise<ServerUser[]> {
    return tx.query(serverUsers, [tenantId, connectionId, server, since]);
  }
}
