import { Injectable } from '@nestjs/common';
import { IndependenceService } from '../access/independence/independence.service.js';
import { IntroducedReviewersService } from '../access/administration/introduced-reviewers.service.js';
import { InvitationsService } from '../access/invitations.service.js';
import { MembersService } from '../access/members.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';

/**
 * Whether another administrator could review calls of this member: `available`; `dependent`: all others joined through
 * this member; `invited`: an administrator is invited; `missing`: the other members are no administrators; `alone`.
 */
export const reviewerStatuses = ['available', 'dependent', 'invited', 'missing', 'alone'] as const;
export type ReviewerStatus = (typeof reviewerStatuses)[number];

/** Whether policies should require a review: another member can review, or is invited to. */
export const isReviewExpected = (status: ReviewerStatus): boolean => status !== 'alone' && status !== 'dependent';

/** Determines whether four eyes are possible in an organization, or are going to be. */
@Injectable()
export class ReviewerStatusService {
  constructor(
    private readonly database: DatabaseService,
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly introducedReviewers: IntroducedReviewersService,
    private readonly invitations: InvitationsService,
  ) {}

  get(principal: Principal): Promise<ReviewerStatus> {
    return this.database.tenant(principal, (tx) => this.load(tx, principal));
  }

  async load(tx: Tx, { tenantId, memberId }: Principal): Promise<ReviewerStatus> {
    const admins = (await this.members.listApprovers(tx, tenantId, null)).map(({ id }) => id);
    // without a member, a token or the operator asks: two administrators can review for each other
    const others = memberId ? admins.filter((id) => id !== memberId) : admins.slice(1);
    if (others.length) return this.statusOfOthers(tx, tenantId, { own: memberId ? [memberId] : [], others });
    if (await this.invitations.hasInvitedAdmin(tx, tenantId)) return 'invited';
    return (await this.members.countActive(tx, tenantId)) > 1 ? 'missing' : 'alone';
  }

  private async statusOfOthers(
    tx: Tx,
    tenantId: string,
    { own, others }: { own: string[]; others: string[] },
  ): Promise<ReviewerStatus> {
    if (await this.introducedReviewers.isInEffect(tx, tenantId)) return 'available';
    const independence = await this.independence.load(tx, tenantId, [...own, ...others]);
    const requesters = independence.requesters(own);
    return others.some((id) => independence.isIndependent(id, requesters)) ? 'available' : 'dependent';
  }
}
