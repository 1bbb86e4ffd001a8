import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ApprovalPeopleService } from '../approvals/approval-people.service.js';
import { Approval } from '../approvals/approval.entity.js';
import { AgentIdentity } from '../configurations/agent-identity.entity.js';
import { ConfigurationNamesService } from '../configurations/configuration-names.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import type { PermitProposal } from './permit-proposal.entity.js';

interface NamedApproval {
  id: string;
  decidedAt: Date;
  deciderName: string | null;
}

/** Resolves the ids of proposals to names, with one query for a list. */
@Injectable()
export class ProposalNamesService {
  private readonly agentNameLoader = new RequestLoader<Principal, string | null>((principal, ids) =>
    this.database.tenant(principal, async (tx) => {
      const agents = await tx.findBy(AgentIdentity, { tenantId: principal.tenantId, id: In([...ids]) });
      const names = new Map(agents.map(({ id, name }) => [id, name]));
      return ids.map((id) => names.get(id) ?? null);
    }),
  );
  private readonly approvalLoader = new RequestLoader<Principal, Approval | null>((principal, ids) =>
    this.database.tenant(principal, async (tx) => {
      const approvals = await tx.findBy(Approval, { tenantId: principal.tenantId, id: In([...ids]) });
      const byId = new Map(approvals.map((approval) => [approval.id, approval]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly people: ApprovalPeopleService,
    private readonly configurations: ConfigurationNamesService,
  ) {}

  configurationName({ tenantId, configurationId }: PermitProposal): Promise<string | null> {
    return this.configurations.load(tenantId, configurationId);
  }

  async principalName(principal: Principal, { tenantId, principalKind, principalId }: PermitProposal) {
    if (principalKind === 'agent') return this.agentNameLoader.load(principal, principalId);
    return (await this.people.load(tenantId, principalId)).name;
  }

  async approvals(principal: Principal, { approvalIds }: PermitProposal): Promise<NamedApproval[]> {
    const found = await Promise.all(approvalIds.map((id) => this.approvalLoader.load(principal, id)));
    return Promise.all(
      found
        .filter((approval) => approval !== null)
        .map(async (approval) => ({
          id: approval.id,
          decidedAt: approval.decidedAt!,
          deciderName: (await this.people.decider(approval))?.name ?? null,
        })),
    );
  }
}
