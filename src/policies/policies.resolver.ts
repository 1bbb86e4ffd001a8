import { Args, ID, Mutation, ObjectType, Query, registerEnumType, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { DiscardPolicyDraftInput, PublishPolicyInput, SavePolicyDraftInput } from './policies.input.js';
import { PoliciesService } from './policies.service.js';
import {
  ConfigurationPolicy,
  PolicyCheck,
  PolicyTemplate,
  PolicyVocabulary,
  toPolicyVocabulary,
} from './policies.object.js';
import { PolicyDraft } from './policy-draft.entity.js';
import { PolicyComparisonService } from './policy-comparison.service.js';
import { PolicyRevision } from './policy-revision.entity.js';
import { PolicyRule } from './policy-rule.object.js';
import { policyTemplates } from './policy-templates.js';
import { isReviewExpected, reviewerStatuses, ReviewerStatusService } from './reviewer-status.service.js';
import { requireValidRule } from './rule-faults.js';
import { PolicyVerdictChange } from './verdict-change.object.js';
import { writeRule } from './write-rule.js';

const ReviewerStatusEnum = Object.fromEntries(reviewerStatuses.map((status) => [status, status]));
registerEnumType(ReviewerStatusEnum, {
  name: 'ReviewerStatus',
  valuesMap: {
    available: { description: 'Another administrator can review.' },
    dependent: { description: 'The other administrators joined through this member, and nobody has vouched for them.' },
    invited: { description: 'An administrator is invited and has not joined yet.' },
    missing: { description: 'The other members are not administrators.' },
    alone: { description: 'The organization has a single member.' },
  },
});

@ObjectType()
export class PolicyRevisionConnection extends Paginated(PolicyRevision) {}

@Resolver(() => PolicyRevision)
@Authenticate('session', 'admin-token')
export class PoliciesResolver {
  constructor(
    private readonly policies: PoliciesService,
    private readonly comparison: PolicyComparisonService,
    private readonly reviewers: ReviewerStatusService,
  ) {}

  @Query(() => ReviewerStatusEnum, {
    description: 'Whether another administrator could review calls of agents that this member is responsible for.',
  })
  @Allow('policies:read')
  reviewerStatus(@CurrentPrincipal() principal: Principal) {
    return this.reviewers.get(principal);
  }

  @Query(() => [ID], {
    description:
      'The configurations that still have the default policy of an organization with a single person, in which write calls need only a confirmation.',
  })
  @Allow('policies:read')
  configurationsWithoutReview(@CurrentPrincipal() principal: Principal) {
    return this.policies.listWithoutReview(principal);
  }

  @Query(() => ConfigurationPolicy)
  @Allow('policies:read')
  policy(@CurrentPrincipal() principal: Principal, @IdArgument('configurationId') id: string) {
    return this.policies.get(principal, id);
  }

  @Query(() => PolicyRevisionConnection, { description: 'All published revisions, newest first.' })
  @Allow('policies:read')
  policyRevisions(
    @CurrentPrincipal() principal: Principal,
    @IdArgument('configurationId') id: string,
    @Args() page: PageArgs,
  ) {
    return this.policies.listRevisions(principal, id, page);
  }

  @Query(() => PolicyVocabulary, {
    description: 'The tools, arguments, groups and approval steps that the policies can name.',
  })
  @Allow('policies:read')
  async policyVocabulary(@CurrentPrincipal() principal: Principal, @IdArgument('configurationId') id: string) {
    return toPolicyVocabulary(await this.policies.vocabulary(principal, id));
  }

  @Query(() => [PolicyTemplate], {
    description:
      'Policy texts for the usual cases. They require the approval step "review", or "confirm" if no one else can review.',
  })
  @Allow('policies:read')
  async policyTemplates(@CurrentPrincipal() principal: Principal) {
    const needsReview = isReviewExpected(await this.reviewers.get(principal));
    return policyTemplates({ step: needsReview ? 'review' : 'confirm' });
  }

  @Query(() => PolicyCheck, { description: 'Checks a text without saving it.' })
  @Allow('policies:read')
  checkPolicy(
    @CurrentPrincipal() principal: Principal,
    @IdArgument('configurationId') id: string,
    @Args('text') text: string,
  ) {
    return this.policies.validate(principal, id, text);
  }

  @Query(() => [PolicyVerdictChange], {
    description:
      'The tools whose verdict would change if the text were published. Decides sample calls on both sides of every condition, by the published policies and by the text.',
  })
  @Allow('policies:read')
  policyVerdictChanges(
    @CurrentPrincipal() principal: Principal,
    @IdArgument('configurationId') id: string,
    @Args('text') text: string,
  ) {
    return this.comparison.compare(principal, id, text);
  }

  @Query(() => String, { description: 'The rule as a Cedar policy, to insert into a text.' })
  @Allow('policies:read')
  policyRuleText(@Args('rule') rule: PolicyRule): string {
    return writeRule(requireValidRule(rule));
  }

  @AllowAdminToken()
  @Mutation(() => PolicyDraft)
  @Allow('policies:manage')
  savePolicyDraft(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, text, ...on }: SavePolicyDraftInput,
  ) {
    return this.policies.saveDraft(principal, configurationId, text, on);
  }

  @AllowAdminToken()
  @Mutation(() => ConfigurationPolicy)
  @Allow('policies:manage')
  discardPolicyDraft(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId }: DiscardPolicyDraftInput,
  ) {
    return this.policies.discardDraft(principal, configurationId);
  }

  @Mutation(() => PolicyRevision, {
    description:
      'Checks a text strictly and publishes it. The new revision is in effect from the next call on. Only a signed-in person can publish.',
  })
  @Authenticate('session')
  @Allow('policies:manage')
  publishPolicy(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { configurationId, text, ...options }: PublishPolicyInput,
  ) {
    return this.policies.publish(principal, configurationId, text, options);
  }
}
