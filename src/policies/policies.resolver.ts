import { Args, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { DiscardPolicyDraftInput, PublishPolicyInput, SavePolicyDraftInput } from './policies.input.js';
import { PoliciesService } from './policies.service.js';
import { ConfigurationPolicy, PolicyCheck, PolicyVocabulary, toPolicyVocabulary } from './policies.object.js';
import { PolicyDraft } from './policy-draft.entity.js';
import { PolicyComparisonService } from './policy-comparison.service.js';
import { PolicyRevision } from './policy-revision.entity.js';
import { PolicyRule } from './policy-rule.object.js';
import { requireValidRule } from './rule-faults.js';
import { PolicyVerdictChange } from './verdict-change.object.js';
import { writeRule } from './write-rule.js';

@ObjectType()
export class PolicyRevisionConnection extends Paginated(PolicyRevision) {}

@Resolver(() => PolicyRevision)
@Authenticate('session', 'admin-token')
export class PoliciesResolver {
  constructor(
    private readonly policies: PoliciesService,
    private readonly comparison: PolicyComparisonService,
  ) {}

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
    @Args('input') { configurationId, text, basedOn }: PublishPolicyInput,
  ) {
    return this.policies.publish(principal, configurationId, text, basedOn);
  }
}
