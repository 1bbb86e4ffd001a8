import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { AuditService } from '../audit/audit.service.js';
import { Configuration } from '../configurations/configuration.entity.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { NarrowPermitsService } from '../policies/narrow-permits.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { PermitProposal } from './permit-proposal.entity.js';
import { consideredApprovals, maxProposals } from './permit-proposal-limits.js';
import { type IdenticalApprovalsRow, lockProposals, selectIdenticalApprovals } from './permit-proposals.sql.js';
import { ProposalEvidenceService } from './proposal-evidence.service.js';

const intervalMs = 60_000;
const proposalJob = 'permits.propose';

/**
 * Suggests permits after identical approvals. Each run recomputes all open proposals of a configuration, so that a
 * proposal is withdrawn once it no longer applies. What people closed stays.
 */
@Injectable()
export class PermitProposalScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly audit: AuditService,
    private readonly approvals: ApprovalsService,
    private readonly policies: PoliciesService,
    private readonly narrowPermits: NarrowPermitsService,
    private readonly evidence: ProposalEvidenceService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(proposalJob, ({ tenantId, configurationId }, signal) =>
      this.propose(String(tenantId), String(configurationId), signal),
    );
    this.approvals.onClosed((tx, { tenantId, configurationId }) => this.enqueue(tx, tenantId, configurationId));
    this.policies.onPublished((tx, { tenantId, configurationId }) => this.enqueue(tx, tenantId, configurationId));
  }

  /** At the end of the minute, once for everything that happens in it. */
  private enqueue(tx: Tx, tenantId: string, configurationId: string): Promise<void> {
    const runAt = new Date((Math.floor(Date.now() / intervalMs) + 1) * intervalMs);
    const key = `${proposalJob}:${configurationId}`;
    return this.queue.add(tx, proposalJob, { tenantId, configurationId }, { key, runAt });
  }

  async propose(tenantId: string, configurationId: string, signal: AbortSignal): Promise<void> {
    const { candidates, current } = await this.database.tenant({ tenantId }, (tx) =>
      this.loadCandidates(tx, tenantId, configurationId),
    );
    const applicable: IdenticalApprovalsRow[] = [];
    const calls = candidates.map((candidate) => ({ configurationId, ...candidate }));
    for (const [nth, permitted] of (await this.evidence.loadEach(tenantId, calls)).entries()) {
      if (signal.aborted) throw new Error('stopped before all proposals were computed');
      const added =
        'obstacle' in permitted ? permitted : await this.narrowPermits.addTo(tenantId, current?.text ?? '', permitted);
      if (!('obstacle' in added)) applicable.push(candidates[nth]);
    }
    await this.database.tenant({ tenantId }, async (tx) => {
      await tx.execute(lockProposals, [configurationId]);
      const now = await this.loadCandidates(tx, tenantId, configurationId);
      // a publication has started another run
      if (now.current?.revision !== current?.revision) return;
      const keys = new Set(applicable.map(keyOf));
      await this.store(
        tx,
        tenantId,
        configurationId,
        now.candidates.filter((candidate) => keys.has(keyOf(candidate))),
      );
    });
  }

  private async loadCandidates(tx: Tx, tenantId: string, configurationId: string) {
    const exists = await tx.existsBy(Configuration, { tenantId, id: configurationId });
    const params = [tenantId, configurationId, consideredApprovals, maxProposals] as const;
    return {
      candidates: exists ? await tx.run(selectIdenticalApprovals, params) : [],
      current: await this.policies.findCurrent(tx, tenantId, configurationId),
    };
  }

  private async store(
    tx: Tx,
    tenantId: string,
    configurationId: string,
    applicable: readonly IdenticalApprovalsRow[],
  ): Promise<void> {
    const known = await tx.find(PermitProposal, {
      where: { tenantId, configurationId },
      lock: { mode: 'pessimistic_write' },
    });
    const keys = new Set(applicable.map(keyOf));
    for (const proposal of known)
      if (proposal.state === 'open' && !keys.has(keyOf(proposal))) {
        await tx.delete(PermitProposal, { tenantId, id: proposal.id });
        await this.record(tx, proposal, 'withdrawn');
      }
    for (const { firstDecidedAt, ...facts } of applicable) {
      const existing = known.find((proposal) => keyOf(proposal) === keyOf(facts));
      if (existing?.state === 'open') await tx.update(PermitProposal, { tenantId, id: existing.id }, facts);
      if (existing && !isSuggestedAgain(existing, firstDecidedAt)) continue;
      const proposal = tx.create(PermitProposal, {
        ...facts,
        tenantId,
        id: existing?.id ?? newId(),
        configurationId,
        state: 'open',
        createdAt: new Date(),
        closedAt: null,
        closedBy: null,
        closer: null,
      });
      await tx.save(proposal);
      await this.record(tx, proposal, 'opened');
    }
  }

  private record(tx: Tx, proposal: PermitProposal, change: 'opened' | 'withdrawn'): Promise<void> {
    const { tenantId, id, configurationId, tool, principalKind, principalId, approvalIds } = proposal;
    return this.audit.record(tx, systemPrincipal(tenantId, 'permit proposals'), {
      kind: `permit-proposal.${change}`,
      subject: { type: 'configuration', id: configurationId },
      detail: { proposalId: id, tool, principal: { kind: principalKind, id: principalId }, approvalIds },
    });
  }
}

const keyOf = ({
  tool,
  principalKind,
  principalId,
  argumentsHash,
}: Pick<PermitProposal, 'tool' | 'principalKind' | 'principalId' | 'argumentsHash'>): string =>
  [tool, principalKind, principalId, argumentsHash.toString('hex')].join(' ');

/** A draft may have been discarded: all of the ten approvals were given after it. */
const isSuggestedAgain = ({ state, closedAt }: PermitProposal, firstDecidedAt: Date): boolean =>
  state === 'drafted' && closedAt !== null && closedAt < firstDecidedAt;
