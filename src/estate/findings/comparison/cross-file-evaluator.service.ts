import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { disableNestedLoops, resetNestedLoops } from '../../../platform/database/nested-loops.sql.js';
import { packageKey } from '../approved/approved-list.js';
import { ApprovedServersService } from '../approved/approved-servers.service.js';
import { toFindingRecord } from '../evaluation/evaluate-file.js';
import type { FindingRecord } from '../evaluation/finding-record.js';
import { FindingsRepository } from '../evaluation/findings-repository.service.js';
import { notApproved, unapprovedMatch } from '../rules/not-approved.js';
import { shadowedServerMatch, shadowedServer } from '../rules/shadowed-server.js';
import { type DefinedServer, definedServers, shadowedEntries } from './declared-servers.sql.js';

/** Evaluates rules that need all files: unapproved servers, and names that stand for different servers. */
@Injectable()
export class CrossFileEvaluator {
  constructor(
    private readonly approvedServers: ApprovedServersService,
    private readonly findings: FindingsRepository,
  ) {}

  async evaluate(tx: Tx, principal: Principal): Promise<void> {
    const findings = [...(await this.unapproved(tx, principal)), ...(await this.shadowed(tx, principal))];
    await this.findings.replaceAll(tx, principal, { rules: [notApproved.id, shadowedServer.id], findings });
  }

  private async unapproved(tx: Tx, principal: Principal): Promise<FindingRecord[]> {
    const { allowed } = await this.approvedServers.list(tx, principal);
    const servers = new Map<string, { out: DefinedServer[]; approved: number }>();
    for (const defined of await tx.run(definedServers, [principal.tenantId])) {
      const server = servers.get(defined.serverId) ?? { out: [], approved: 0 };
      servers.set(defined.serverId, server);
      if (allowed.allows(defined)) server.approved += defined.entries;
      else server.out.push(defined);
    }
    return [...servers].flatMap(([serverId, { out, approved }]) => {
      if (!out.length) return [];
      const [{ name, connectionId, ...first }] = out;
      const subject = { fileId: null, entryId: null, serverId, connectionId };
      const match = unapprovedMatch({
        name,
        ...approvableIdentity(first),
        entries: out.reduce((sum, { entries }) => sum + entries, 0),
        files: new Set(out.flatMap(({ files }) => files)).size,
        approvedEntries: approved,
        isListEmpty: allowed.isEmpty,
      });
      return [toFindingRecord(notApproved, subject, first.identity, match)];
    });
  }

  private async shadowed(tx: Tx, { tenantId }: Principal): Promise<FindingRecord[]> {
    // without statistics on names, the planner would choose a nested loop over all pairs
    await tx.execute(disableNestedLoops);
    const rows = await tx.run(shadowedEntries, [tenantId]);
    await tx.execute(resetNestedLoops);
    return rows.map(({ entryId, fileId, serverId, connectionId, ...row }) =>
      toFindingRecord(shadowedServer, { entryId, fileId, serverId, connectionId }, entryId, shadowedServerMatch(row)),
    );
  }
}

/** The value to approve: prefers a package or a host to a single definition. */
function approvableIdentity({
  package: written,
  host,
  command,
  definitionHash,
}: Pick<DefinedServer, 'package' | 'host' | 'command' | 'definitionHash'>) {
  if (written) {
    const value = packageKey(written.manager, written.name);
    return { what: value, by: 'package' as const, value };
  }
  if (host !== null && !host.includes('$')) return { what: host, by: 'host' as const, value: host };
  return { what: command, by: 'definition' as const, value: definitionHash };
}
