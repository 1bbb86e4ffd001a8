import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Page } from '../platform/graphql/connection.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import { NarrowPermitsService } from '../policies/narrow-permits.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import type { Principal } from '../principal/principal.js';
import { PermitProposal, type ProposalState } from './permit-proposal.entity.js';
import { consideredApprovals, maxProposals } from './permit-proposal-limits.js';
import { permitProposalClosed, permitProposalNotFound, permitProposalObsolete } from './permit-proposals.error.js';
import { selectIdenticalApprovals } from './permit-proposals.sql.js';
import { ProposalEvidenceService } from './proposal-evidence.service.js';

export interface ProposalFilter {
  state: ProposalState;
  configurationId?: string | null;
  first: number;
  after?: string | null;
}

/** Administrators add proposed permits to the policy draft, or dismiss them. Nothing is published. */
@Injectable()
export class PermitProposalsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly configurations: ConfigurationsService,
    private readonly policies: PoliciesService,
    private readonly narrowPermits: NarrowPermitsService,
    private readonly evidence: ProposalEvidenceService,
  ) {}

  /** Newest first. */
  list(principal: Principal, { state, configurationId, ...page }: ProposalFilter): Promise<Page<PermitProposal>> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) => {
      const query = tx
        .createQueryBuilder(PermitProposal, 'proposal')
        .where('proposal.tenantId = :tenantId and proposal.state = :state', { tenantId, state });
      if (configurationId) query.andWhere('proposal.configurationId = :configurationId', { configurationId });
      return newestFirstPage(query, page);
    });
  }

  /** The permit of each proposal by the live policies, or why there is none any more; in their order. */
  async describePermits(
    { tenantId }: Principal,
    proposals: readonly PermitProposal[],
  ): Promise<{ text: string | null; obstacle: string | null }[]> {
    const loaded = await this.evidence.loadEach(tenantId, proposals);
    const described = loaded.map((one) => ({
      text: null as string | null,
      obstacle: 'obstacle' in one ? one.obstacle : null,
    }));
    const open = proposals.flatMap(({ configurationId }, index) => {
      const call = loaded[index];
      return 'obstacle' in call ? [] : [{ configurationId, index, call }];
    });
    for (const [configurationId, own] of Map.groupBy(open, (one) => one.configurationId)) {
      const current = await this.database.tenant({ tenantId }, (tx) =>
        this.policies.findCurrent(tx, tenantId, configurationId),
      );
      const calls = own.map(({ call }) => call);
      const written = await this.narrowPermits.writeEach(tenantId, current?.text ?? '', calls);
      for (const [nth, { index }] of own.entries()) {
        const permit = written[nth];
        described[index] =
          typeof permit === 'string' ? { text: permit, obstacle: null } : { text: null, obstacle: permit.obstacle };
      }
    }
    return described;
  }

  /**
   * Adds the permit to the draft, or to the live text if there is no draft, and saves the draft. Approvals, tool and
   * policies are checked again.
   */
  async addToDraft(principal: Principal, id: string): Promise<PermitProposal> {
    requireSession(principal);
    const { tenantId } = principal;
    const proposal = await this.getOpen(principal, id);
    const { configurationId } = proposal;
    await this.configurations.get(principal, configurationId);
    await this.requireEvidence(principal, proposal);
    const { current, draft } = await this.policies.get(principal, configurationId);
    if (draft && draft.basedOn !== (current?.revision ?? 0))
      throw permitProposalObsolete(
        `The draft is based on revision ${draft.basedOn}, and revision ${current?.revision ?? 0} is live. Update or discard the draft first.`,
      );
    const base = draft?.text ?? current?.text ?? '';
    await this.policies.requireValid(principal, configurationId, base);
    const permitted = await this.evidence.load(tenantId, proposal);
    const added = 'obstacle' in permitted ? permitted : await this.narrowPermits.addTo(tenantId, base, permitted);
    if ('obstacle' in added) throw permitProposalObsolete(added.obstacle);
    await this.policies.requireValid(principal, configurationId, added.text);
    await this.policies.saveDraft(principal, configurationId, added.text, {
      basedOn: current?.revision ?? 0,
      replaces: draft?.savedAt ?? null,
    });
    return this.close(principal, proposal, 'drafted');
  }

  async dismiss(principal: Principal, id: string): Promise<PermitProposal> {
    requireSession(principal);
    return this.close(principal, await this.getOpen(principal, id), 'dismissed');
  }

  private async getOpen(principal: Principal, id: string): Promise<PermitProposal> {
    const { tenantId } = principal;
    const proposal = await this.database.tenant(principal, (tx) => tx.findOneBy(PermitProposal, { tenantId, id }));
    if (!proposal) throw permitProposalNotFound('There is no such proposal.');
    if (proposal.state !== 'open') throw closedProblem(proposal);
    return proposal;
  }

  /** A denial of the same call may have come since the proposal was made. */
  private async requireEvidence(principal: Principal, proposal: PermitProposal): Promise<void> {
    const params = [principal.tenantId, proposal.configurationId, consideredApprovals, maxProposals] as const;
    const rows = await this.database.tenant(principal, (tx) => tx.run(selectIdenticalApprovals, params));
    const isConfirmed = rows.some(
      ({ tool, principalKind, principalId, argumentsHash, definitionHash }) =>
        tool === proposal.tool &&
        principalKind === proposal.principalKind &&
        principalId === proposal.principalId &&
        definitionHash === proposal.definitionHash &&
        argumentsHash.equals(proposal.argumentsHash),
    );
    if (!isConfirmed) throw permitProposalObsolete('The last ten decisions on this call are no longer all approvals.');
  }

  private async close(
    principal: Principal,
    proposal: PermitProposal,
    state: Exclude<ProposalState, 'open'>,
  ): Promise<PermitProposal> {
    const { tenantId, memberId = null, name } = principal;
    const { id, configurationId, tool, principalKind, principalId, approvalIds } = proposal;
    const closed = { state, closedAt: new Date(), closedBy: memberId, closer: name };
    await this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.update(PermitProposal, { tenantId, id, state: 'open' }, closed);
      if (!affected) throw permitProposalClosed('Another administrator closed the proposal first.');
      await this.audit.record(tx, principal, {
        kind: `permit-proposal.${state}`,
        subject: { type: 'configuration', id: configurationId },
        detail: { proposalId: id, tool, principal: { kind: principalKind, id: principalId }, approvalIds },
      });
    });
    return Object.assign(proposal, closed);
  }
}

const closedProblem = ({ state, closer }: PermitProposal) =>
  permitProposalClosed(`${closer} ${state === 'drafted' ? 'added it to the draft' : 'dismissed it'}.`);
