import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ConnectionKinds } from '../../../connections/connection-kinds.service.js';
import type { Principal } from '../../../principal/principal.js';
import { ClientVersions } from '../../../spend/estate-facts/client-versions.service.js';
import { McpUse, type ServerUse } from '../../../spend/estate-facts/mcp-use.service.js';
import { FindingsTable } from '../judging/findings-table.service.js';
import { finding } from '../judging/judge-file.js';
import type { Finding } from '../judging/subject.js';
import { declaredOnly, declaredUnused, usedOnly, usedUndeclared } from '../rules/declared-and-used.js';
import { outdated, outdatedClient } from '../rules/outdated-client.js';
import { type DeclaredName, declaredNames, type DeclaredServer, declaredServers, knownOwners } from './estate.sql.js';
import { nameKeys } from './same-name.js';

/** What counts as now; the vendor keeps as much itself. */
export const windowDays = 30;
/** As long a server must have stood there, and calls been counted, before nobody's calling it means something. */
const patienceDays = 14;
const mostServers = 2000;
const dayMs = 86_400_000;

export const dayBefore = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** What files declare against what the vendor counted: which client is in use, and which servers are called. */
@Injectable()
export class VendorView {
  constructor(
    private readonly kinds: ConnectionKinds,
    private readonly versions: ClientVersions,
    private readonly use: McpUse,
    private readonly table: FindingsTable,
  ) {}

  async compare(tx: EntityManager, principal: Principal): Promise<void> {
    const findings = [...(await this.outdated(tx, principal)), ...(await this.declaredAndUsed(tx, principal))];
    await this.table.replaceAll(tx, principal, {
      rules: [outdatedClient.id, usedUndeclared.id, declaredUnused.id],
      findings,
    });
  }

  private async outdated(tx: EntityManager, principal: Principal): Promise<Finding[]> {
    const inUse = await this.versions.inUse(tx, principal, dayBefore(windowDays));
    return inUse.flatMap(({ connectionId, vendor: client, version, people, lastDay }) => {
      const found = outdated({ client, clientTitle: this.titleOf(client), version, people, lastDay });
      return found ? [finding(outdatedClient, ofConnection(connectionId), connectionId, found)] : [];
    });
  }

  private titleOf(client: string): string {
    return this.kinds.find(client)?.title ?? client;
  }

  private async declaredAndUsed(tx: EntityManager, principal: Principal): Promise<Finding[]> {
    const findings: Finding[] = [];
    const unused = new Map<string, Finding[]>();
    for (const { connectionId, vendor, firstDay } of await this.use.known(tx, principal)) {
      const since = dayBefore(windowDays);
      const servers = await this.use.servers(tx, principal, { connectionId, since }, mostServers);
      findings.push(...(await this.undeclared(tx, principal, { connectionId, client: vendor, since, servers })));
      const here =
        firstDay <= dayBefore(patienceDays) ? await unusedServers(tx, principal, vendor, servers, firstDay) : [];
      unused.set(vendor, intersection(unused.get(vendor), here));
    }
    return [...findings, ...[...unused.values()].flat()];
  }

  private async undeclared(
    tx: EntityManager,
    principal: Principal,
    {
      connectionId,
      client,
      since,
      servers,
    }: { connectionId: string; client: string; since: string; servers: ServerUse[] },
  ): Promise<Finding[]> {
    const { tenantId } = principal;
    const [{ owners, files }] = await tx.query<{ owners: string[] | null; files: number }[]>(knownOwners, [
      tenantId,
      client,
    ]);
    // whoever lets us see no files at all does not want to hear that none declares anything
    if (!files) return [];
    const known = new Set(owners ?? []);
    const declared = new Map<string, DeclaredName>();
    for (const one of await tx.query<DeclaredName[]>(declaredNames, [tenantId, client]))
      for (const key of nameKeys(one.name)) declared.set(key, joined(declared.get(key), one));
    const findings: Finding[] = [];
    for (const { server, ...counted } of servers) {
      const by = nameKeys(server)
        .map((key) => declared.get(key))
        .reduce<DeclaredName | undefined>((all, one) => (one ? joined(all, one) : all), undefined);
      if (by?.isEverybodys) continue;
      const users = await this.use.usersOf(tx, principal, { connectionId, server, since });
      const have = new Set(by?.owners);
      const peopleWithout = users.filter(
        ({ emails }) => emails.some((email) => known.has(email)) && !emails.some((email) => have.has(email)),
      ).length;
      const found = usedOnly({ ...counted, server, peopleWithout, isDeclared: by !== undefined, days: windowDays });
      if (found) findings.push(finding(usedUndeclared, ofConnection(connectionId), connectionId, found));
    }
    return findings;
  }
}

const ofConnection = (connectionId: string) => ({ fileId: null, entryId: null, serverId: null, connectionId });

const joined = (one: DeclaredName | undefined, other: DeclaredName): DeclaredName =>
  one
    ? { ...one, isEverybodys: one.isEverybodys || other.isEverybodys, owners: [...one.owners, ...other.owners] }
    : other;

async function unusedServers(
  tx: EntityManager,
  { tenantId }: Principal,
  client: string,
  servers: ServerUse[],
  firstDay: string,
): Promise<Finding[]> {
  const used = new Set(servers.flatMap(({ server }) => nameKeys(server)));
  const days = Math.min(windowDays, Math.floor((Date.now() - Date.parse(firstDay)) / dayMs) + 1);
  const rows = await tx.query<DeclaredServer[]>(declaredServers, [tenantId, client]);
  return rows.flatMap(({ serverId, names, since, ...row }) => {
    const sinceDay = since.toISOString().slice(0, 10);
    if (sinceDay > dayBefore(patienceDays) || names.some((name) => nameKeys(name).some((key) => used.has(key))))
      return [];
    const found = declaredOnly({ ...row, since: sinceDay, days });
    return [finding(declaredUnused, { fileId: null, entryId: null, serverId, connectionId: null }, serverId, found)];
  });
}

/** What is unused by everybody: of all connections of the vendor. */
function intersection(before: Finding[] | undefined, here: Finding[]): Finding[] {
  if (!before) return here;
  const keys = new Set(before.map(({ key }) => key));
  return here.filter(({ key }) => keys.has(key));
}
