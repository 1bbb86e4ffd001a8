import { Injectable } from '@nestjs/common';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalPeople } from '../approvals/approval-people.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { CallExhibit } from '../gate/call-exhibit.entity.js';
import { CallsService } from '../gate/calls.service.js';
import type { ExhibitConnection } from '../gate/exhibit-surroundings.entity.js';
import { ExhibitSurroundings } from '../gate/exhibit-surroundings.service.js';
import type { Principal } from '../principal/principal.js';

/** People by name; null: somebody of whom nothing is known any more. */
type Name = string | null;

/** An approval with everything that whoever decides is told. */
export interface ApprovalView {
  approval: Approval;
  exhibit: CallExhibit;
  requestedBy: Name[];
  /** Undefined where nobody has decided. */
  decider?: Name;
  /** Null: the administrators. */
  groupName: string | null;
  configurationName: string | null;
  connection: ExhibitConnection | null;
  /** The person may decide now. */
  isOpen: boolean;
  /** Everybody whom the step names, while it is pending. */
  candidates: ApprovalCandidate[];
  personId: string;
  /** Newest first. */
  earlier: EarlierDecision[];
}

export interface EarlierDecision {
  approval: Approval;
  decider?: Name;
  hasSameArguments: boolean;
}

@Injectable()
export class ApprovalViews {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly people: ApprovalPeople,
    private readonly calls: CallsService,
    private readonly surroundings: ExhibitSurroundings,
  ) {}

  async of(principal: Principal, id: string): Promise<ApprovalView> {
    const approval = await this.approvals.get(principal, id);
    const exhibit = await this.calls.exhibitOf(approval);
    const [requestedBy, decider, groupName, configurationName, connection, isOpen, earlier, candidates] =
      await Promise.all([
        this.people.requesters(approval),
        this.decider(approval),
        this.people.groupName(approval),
        this.surroundings.configurationName(principal, exhibit),
        this.surroundings.connection(principal, exhibit),
        this.approvals.isOpenTo(principal, approval),
        this.earlier(principal, approval, exhibit),
        this.approvals.candidates(principal, approval),
      ]);
    const names = requestedBy.map(({ name }) => name);
    return {
      approval,
      exhibit,
      requestedBy: names,
      decider,
      groupName,
      configurationName,
      connection,
      isOpen,
      earlier,
      candidates,
      personId: principal.memberId!,
    };
  }

  private async decider(approval: Approval): Promise<Name | undefined> {
    return (await this.people.decider(approval))?.name;
  }

  private async earlier(
    principal: Principal,
    approval: Approval,
    { argumentsHash }: CallExhibit,
  ): Promise<EarlierDecision[]> {
    const decided = await this.approvals.earlier(principal, approval);
    return Promise.all(
      decided.map(async (one) => ({
        approval: one,
        decider: await this.decider(one),
        hasSameArguments: (await this.calls.exhibitOf(one)).argumentsHash === argumentsHash,
      })),
    );
  }
}
