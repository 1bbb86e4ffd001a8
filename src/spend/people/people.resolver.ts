import { Args, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import {
  UpdateSpendPersonInput,
  CreateSpendPersonInput,
  MergeSpendPeopleInput,
  SpendAliasInput,
  SpendPeopleArgs,
  SpendPersonInput,
} from './people.input.js';
import { PeopleService } from './people.service.js';
import { personSettings, SpendPerson } from './person.entity.js';

@ObjectType()
export class SpendPersonConnection extends Paginated(SpendPerson) {}

/** Who is who, for those who administer; what anybody used is in the reports, for analysts. */
@Resolver(() => SpendPerson)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class PeopleResolver {
  private readonly aliasesOf: RequestLoader<Principal, string[]>;

  constructor(private readonly people: PeopleService) {
    this.aliasesOf = new RequestLoader((principal, ids) => people.listAliases(principal, ids));
  }

  @Query(() => SpendPersonConnection, {
    description: 'Whom usage can belong to, by name: members, people from lists, service accounts. Not what they used.',
  })
  spendPeople(
    @CurrentPrincipal() principal: Principal,
    @Args() { search, unitId, isRemoved, ...page }: SpendPeopleArgs,
  ) {
    return this.people.list(principal, page, { search, unitId, isRemoved });
  }

  @Query(() => SpendPerson)
  spendPerson(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.people.get(principal, id);
  }

  @ResolveField(() => [String], { description: 'Other addresses by which vendors may name them.' })
  aliases(@CurrentPrincipal() principal: Principal, @Parent() person: SpendPerson) {
    return person.aliases ?? this.aliasesOf.load(principal, person.id);
  }

  @ResolveField(() => String, { description: 'Another one after each change, aliases aside.' })
  version(@Parent() person: SpendPerson): string {
    return contentVersionOf(personSettings(person));
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Somebody who is no member, or a service account. Usage that carries the address is theirs at once, in the past as well.',
  })
  createSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSpendPersonInput) {
    return this.people.create(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Their past moves with them into another group or cost centre. Name and address of a member are those of the account.',
  })
  updateSpendPerson(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { personId, name, email, groupId, costCentreId, basedOn }: UpdateSpendPersonInput,
  ) {
    const change = { name: name ?? undefined, email: email ?? undefined, groupId, costCentreId };
    return this.people.update(principal, personId, change, basedOn);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'Says that they are gone. What they used stays theirs.' })
  removeSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') { personId }: SpendPersonInput) {
    return this.people.remove(principal, personId);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'Takes a removal back.' })
  restoreSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') { personId }: SpendPersonInput) {
    return this.people.restore(principal, personId);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Two people that are one: addresses, usage, and a group where there was none, become those of the one who stays. It cannot be taken back.',
  })
  mergeSpendPeople(@CurrentPrincipal() principal: Principal, @Args('input') { fromId, intoId }: MergeSpendPeopleInput) {
    return this.people.merge(principal, { from: fromId, into: intoId });
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description: 'Another address of the same person. Refused while it is somebody else’s; the message says whose.',
  })
  addSpendAlias(@CurrentPrincipal() principal: Principal, @Args('input') { personId, email }: SpendAliasInput) {
    return this.people.addAlias(principal, personId, email);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'What was matched by this address is nobody’s again.' })
  removeSpendAlias(@CurrentPrincipal() principal: Principal, @Args('input') { personId, email }: SpendAliasInput) {
    return this.people.removeAlias(principal, personId, email);
  }
}
