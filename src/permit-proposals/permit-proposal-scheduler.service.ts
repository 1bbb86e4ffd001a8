import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Configuration } from '../configurations/configuration.entity.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { NarrowPermitsService } from '../policies/narrow-permits.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { PermitProposal } from './permit-proposal.entity.js';
import { consideredApprovals, maxProposals } from './permit-proposal-limits.js';
import { type IdenticalApprovalsRow, selectIdenticalApprovals } from './permit-proposals.sql.js';
import { ProposalEvidenceService } from './proposal-evidence.service.js';

const intervalMs = 60_000;
const proposalJob = 'permits.propose';

/**
 * Suggests permits after identical approvals. Each run computes all open proposals of a configuration anew, so that a
 * proposal is withdrawn once it no longer applies. What people closed stays.
 */
@Injectable()
export class PermitProposalScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
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
    const { candidates, text } = await this.database.tenant({ tenantId }, async (tx) => {
      const exists = await tx.existsBy(Configuration, { tenantId, id: configurationId });
      const params = [tenantId, configurationId, consideredApprovals, maxProposals] as const;
      return {
        candidates: exists ? await tx.run(selectIdenticalApprovals, params) : [],
        text: (await this.policies.findCurrent(tx, tenantId, configurationId))?.text ?? '',
      };
    });
    const applicable: IdenticalApprovalsRow[] = [];
    for (const candidate of candidates) {
      if (signal.aborted) throw new Error('stopped before all proposals were computed');
      const permitted = await this.evidence.load(tenantId, { configurationId, ...candidate });
      const added = 'obstacle' in permitted ? permitted : await this.narrowPermits.addTo(tenantId, text, permitted);
      if (!('obstacle' in added)) applicable.push(candidate);
    }
    await this.database.tenant({ tenantId }, (tx) => this.store(tx, tenantId, configurationId, applicable));
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
    for (const { id, ...proposal } of known)
      if (proposal.state === 'open' && !keys.has(keyOf(proposal))) await tx.delete(PermitProposal, { tenantId, id });
    for (const { firstDecidedAt, ...facts } of applicable) {
      const existing = known.find((proposal) => keyOf(proposal) === keyOf(facts));
      if (existing && !isSuggestedAgain(existing, firstDecidedAt)) continue;
      const open = {
        ...facts,
        state: 'open',
        createdAt: new Date(),
        closedAt: null,
        closedBy: null,
        closer: null,
      } as const;
      if (existing) await tx.update(PermitProposal, { tenantId, id: existing.id }, open);
      // another run may have inserted it at the same time
      else
        await tx
          .createQueryBuilder()
          .insert()
          .into(PermitProposal)
          .values({ tenantId, id: newId(), configurationId, ...open })
          .orIgnore()
          .execute();
    }
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
