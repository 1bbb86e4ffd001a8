import { Args, ArgsType, Field, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { IsOptional, IsUUID, MaxLength } from 'class-validator';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalPeopleService } from './approval-people.service.js';
import { ApprovalPerson } from './approval-person.entity.js';
import { Substitution } from './substitution.entity.js';
import { EndSubstitutionInput, NameSubstituteInput } from './substitution.input.js';
import { SubstitutionsService } from './substitutions.service.js';

@ArgsType()
class SubstitutionArgs {
  @Field(() => ID, { nullable: true, description: 'Omit for yourself; for others this needs "members:manage".' })
  @IsOptional()
  @IsUUID()
  memberId?: string | null;
}

@ArgsType()
class PossibleSubstituteArgs extends SubstitutionArgs {
  @Field({ defaultValue: '', description: 'A part of the name.' })
  @MaxLength(200)
  search: string;
}

/** Only for people in a session: a substitute can decide. */
@Resolver(() => Substitution)
@Authenticate('session')
@Allow('approvals:decide')
export class SubstitutionsResolver {
  constructor(
    private readonly service: SubstitutionsService,
    private readonly people: ApprovalPeopleService,
  ) {}

  @Query(() => [Substitution], { description: 'The current and future substitutes of a member.' })
  substitutions(@CurrentPrincipal() principal: Principal, @Args() { memberId }: SubstitutionArgs) {
    return this.service.list(principal, memberId);
  }

  @Query(() => [ApprovalPerson], {
    description:
      'Active members who can be named as a substitute. Without "members:manage": for approvers only, by at least 3 characters of the name, at most 10. Otherwise at most 50.',
  })
  possibleSubstitutes(@CurrentPrincipal() principal: Principal, @Args() { memberId, search }: PossibleSubstituteArgs) {
    return this.service.listPossible(principal, search, memberId);
  }

  @Mutation(() => Substitution, {
    description:
      'Names a substitute: a period in which one member decides in place of another, on calls that are requested afterwards. Requesters cannot decide as substitutes either, and a substitute that a requester named cannot decide.',
  })
  nameSubstitute(@CurrentPrincipal() principal: Principal, @Args('input') input: NameSubstituteInput) {
    return this.service.create(principal, input);
  }

  @Mutation(() => Substitution, {
    description: 'Ends a substitution before its time. Votes that do not decide yet no longer count.',
  })
  endSubstitution(@CurrentPrincipal() principal: Principal, @Args('input') { id }: EndSubstitutionInput) {
    return this.service.end(principal, id);
  }

  @ResolveField(() => ApprovalPerson)
  member(@Parent() { tenantId, memberId }: Substitution) {
    return this.people.load(tenantId, memberId);
  }

  @ResolveField(() => ApprovalPerson, { description: 'The member, or the administrator who named the substitute.' })
  namedBy(@Parent() { tenantId, createdBy }: Substitution) {
    return this.people.load(tenantId, createdBy);
  }

  @ResolveField(() => ApprovalPerson)
  substitute(@Parent() { tenantId, substituteId }: Substitution) {
    return this.people.load(tenantId, substituteId);
  }
}
