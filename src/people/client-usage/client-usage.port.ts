import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import type { PeopleVisibility } from '../people-visibility.service.js';

/** A version of a vendor's client, and the number of people who last used it. */
export interface VersionInUse {
  connectionId: string;
  /** The connector, which is the vendor's name: "cursor". */
  vendor: string;
  version: string;
  people: number;
  lastDay: Day;
}

/** A person who uses a version, by pseudonym if the organization uses pseudonyms. */
export interface VersionUser {
  name: string;
  lastDay: Day;
}

/** A connection whose vendor reports MCP usage. */
export interface ReportingConnection {
  connectionId: string;
  /** The connector, which is the vendor's name: "cursor". */
  vendor: string;
  firstDay: Day;
}

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

/** What vendors report about AI clients: the versions in use, and the MCP servers that people call with them. */
export interface ClientUsageSource {
  /** Tenants whose usage is synced from a vendor. */
  listTenants(): Promise<string[]>;
  /** The latest version of everyone who was active since a day. Excludes removed connections. */
  listVersions(tx: Tx, principal: Principal, since: Day): Promise<VersionInUse[]>;
  /** Users of a version that are visible, at most `first`. The caller audits the access. */
  listVersionUsers(
    tx: Tx,
    principal: Principal,
    of: { connectionId: string; version: string; since: Day },
    visibility: PeopleVisibility,
    first: number,
  ): Promise<VersionUser[]>;
  listReportingConnections(tx: Tx, principal: Principal): Promise<ReportingConnection[]>;
  /** MCP servers, most used first, at most `first`. */
  listServers(
    tx: Tx,
    principal: Principal,
    of: { connectionId: string; since: Day },
    first: number,
  ): Promise<ServerUse[]>;
  listServerUsers(
    tx: Tx,
    principal: Principal,
    of: { connectionId: string; server: string; since: Day },
  ): Promise<ServerUser[]>;
}
