import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { dayDifference, dayOf, plusDays, today, type Day } from '../../../platform/time/day.js';
import { ConnectorRegistry } from '../../../connections/connector-registry.service.js';
import type { Principal } from '../../../principal/principal.js';
import type { ServerUse } from '../../../people/client-usage/client-usage.port.js';
import { ClientUsageRegistry } from '../../../people/client-usage/client-usage-registry.service.js';
import { FindingsRepository } from '../evaluation/findings-repository.service.js';
import { toFindingRecord } from '../evaluation/evaluate-file.js';
import type { FindingRecord } from '../evaluation/finding-record.js';
import {
  declaredUnusedMatch,
  declaredUnused,
  usedUndeclaredMatch,
  usedUndeclared,
} from '../rules/declared-and-used.js';
import { outdatedClientMatch, outdatedClient } from '../rules/outdated-client.js';
import { type DeclaredName, declaredNames, declaredServers, knownFileOwners } from './declared-servers.sql.js';
import { serverNameKeys } from './server-name-keys.js';

/** The window of current usage; the vendor stores no more. */
export const usageWindowDays = 30;
/** A server has to be declared, and usage has to be reported, for this long before it counts as unused. */
const gracePeriodDays = 14;
const maxComparedServers = 2000;

export const utcDaysAgo = (days: number): Day => plusDays(today(), -days);

/** Compares declared servers with vendor usage: which client versions are in use, and which servers are called. */
@Injectable()
export class VendorUsageEvaluator {
  constructor(
    private readonly connectors: ConnectorRegistry,
    private readonly clientUsage: ClientUsageRegistry,
    private readonly findings: FindingsRepository,
  ) {}

  async evaluate(tx: Tx, principal: Principal): Promise<void> {
    const findings = [...(await this.outdated(tx, principal)), ...(await this.declaredAndUsed(tx, principal))];
    await this.findings.replaceAll(tx, principal, {
      rules: [outdatedClient.id, usedUndeclared.id, declaredUnused.id],
      findings,
    });
  }

  private async outdated(tx: Tx, principal: Principal): Promise<FindingRecord[]> {
    const inUse = await this.clientUsage.source.listVersions(tx, principal, utcDaysAgo(usageWindowDays));
    return inUse.flatMap(({ connectionId, vendor: client, version, people, lastDay }) => {
      const match = outdatedClientMatch({ client, clientTitle: this.titleOf(client), version, people, lastDay });
      return match ? [toFindingRecord(outdatedClient, connectionSubject(connectionId), connectionId, match)] : [];
    });
  }

  private titleOf(client: string): string {
    return this.connectors.find(client)?.title ?? client;
  }

  private async declaredAndUsed(tx: Tx, principal: Principal): Promise<FindingRecord[]> {
    const findings: FindingRecord[] = [];
    const unused = new Map<string, FindingRecord[]>();
    for (const { connectionId, vendor, firstDay } of await this.clientUsage.source.listReportingConnections(
      tx,
      principal,
    )) {
      const since = utcDaysAgo(usageWindowDays);
      const servers = await this.clientUsage.source.listServers(
        tx,
        principal,
        { connectionId, since },
        maxComparedServers,
      );
      findings.push(...(await this.undeclared(tx, principal, { connectionId, client: vendor, since, servers })));
      const unusedHere =
        firstDay <= utcDaysAgo(gracePeriodDays) ? await unusedServers(tx, principal, vendor, servers, firstDay) : [];
      unused.set(vendor, commonFindings(unused.get(vendor), unusedHere));
    }
    return [...findings, ...[...unused.values()].flat()];
  }

  private async undeclared(
    tx: Tx,
    principal: Principal,
    {
      connectionId,
      client,
      since,
      servers,
    }: { connectionId: string; client: string; since: string; servers: ServerUse[] },
  ): Promise<FindingRecord[]> {
    const { tenantId } = principal;
    const [{ owners, files }] = await tx.run(knownFileOwners, [tenantId, client]);
    // without any known files, the finding that no file declares the server has no value
    if (!files) return [];
    const known = new Set(owners ?? []);
    const declared = new Map<string, DeclaredName>();
    for (const one of await tx.run(declaredNames, [tenantId, client]))
      for (const key of serverNameKeys(one.name)) declared.set(key, mergeDeclarations(declared.get(key), one));
    const findings: FindingRecord[] = [];
    for (const { server, ...counted } of servers) {
      const by = serverNameKeys(server)
        .map((key) => declared.get(key))
        .reduce<DeclaredName | undefined>((all, one) => (one ? mergeDeclarations(all, one) : all), undefined);
      if (by?.isEverybodys) continue;
      const users = await this.clientUsage.source.listServerUsers(tx, principal, { connectionId, server, since });
      const declaringOwners = new Set(by?.owners);
      const peopleWithout = users.filter(
        ({ emails }) => emails.some((email) => known.has(email)) && !emails.some((email) => declaringOwners.has(email)),
      ).length;
      const match = usedUndeclaredMatch({
        ...counted,
        server,
        peopleWithout,
        isDeclared: by !== undefined,
        days: usageWindowDays,
      });
      if (match) findings.push(toFindingRecord(usedUndeclared, connectionSubject(connectionId), connectionId, match));
    }
    return findings;
  }
}

const connectionSubject = (connectionId: string) => ({ fileId: null, entryId: null, serverId: null, connectionId });

const mergeDeclarations = (one: DeclaredName | undefined, other: DeclaredName): DeclaredName =>
  one
    ? { ...one, isEverybodys: one.isEverybodys || other.isEverybodys, owners: [...one.owners, ...other.owners] }
    : other;

async function unusedServers(
  tx: Tx,
  { tenantId }: Principal,
  client: string,
  servers: ServerUse[],
  firstDay: string,
): Promise<FindingRecord[]> {
  const used = new Set(servers.flatMap(({ server }) => serverNameKeys(server)));
  const days = Math.min(usageWindowDays, dayDifference(firstDay, today()) + 1);
  const rows = await tx.run(declaredServers, [tenantId, client]);
  return rows.flatMap(({ serverId, names, since, ...row }) => {
    const sinceDay = dayOf(since);
    if (
      sinceDay > utcDaysAgo(gracePeriodDays) ||
      names.some((name) => serverNameKeys(name).some((key) => used.has(key)))
    )
      return [];
    const match = declaredUnusedMatch({ ...row, since: sinceDay, days });
    return [
      toFindingRecord(declaredUnused, { fileId: null, entryId: null, serverId, connectionId: null }, serverId, match),
    ];
  });
}

/** Keeps only findings that all connections of the vendor share, so that the server is unused by everyone. */
function commonFindings(before: FindingRecord[] | undefined, here: FindingRecord[]): FindingRecord[] {
  if (!before) return here;
  const keys = new Set(before.map(({ key }) => key));
  return here.filter(({ key }) => keys.has(key));
}
