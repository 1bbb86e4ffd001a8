import { Args, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { contentVersionOf } from '../platform/graphql/version.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
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

/** People for administrators. Their usage is only in reports, for analysts. */
@Resolver(() => SpendPerson)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class PeopleResolver {
  private readonly aliasesOf: RequestLoader<Principal, string[]>;

  constructor(private readonly people: PeopleService) {
    this.aliasesOf = new RequestLoader((principal, ids) => people.listAliases(principal, ids));
  }

  @Query(() => SpendPersonConnection, {
    description:
      'People that usage can be attributed to, by name: members, imported people and service accounts. Contains no usage.',
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

  @ResolveField(() => [String], { description: 'Additional email addresses that vendors may use for this person.' })
  aliases(@CurrentPrincipal() principal: Principal, @Parent() person: SpendPerson) {
    return person.aliases ?? this.aliasesOf.load(principal, person.id);
  }

  @ResolveField(() => String, { description: 'Changes with every update, except for aliases.' })
  version(@Parent() person: SpendPerson): string {
    return contentVersionOf(personSettings(person));
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Creates a person who is not a member, or a service account. Existing usage with the email address is matched immediately.',
  })
  createSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSpendPersonInput) {
    return this.people.create(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Past usage moves with the person to another group or cost centre. The name and email address of a member follow the account.',
  })
  updateSpendPerson(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { personId, name, email, groupId, costCentreId, basedOn }: UpdateSpendPersonInput,
  ) {
    const change = { name: name ?? undefined, email: email ?? undefined, groupId, costCentreId };
    return this.people.update(principal, personId, change, basedOn);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'Removes a person. Their usage stays attributed to them.' })
  removeSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') { personId }: SpendPersonInput) {
    return this.people.remove(principal, personId);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'Restores a removed person.' })
  restoreSpendPerson(@CurrentPrincipal() principal: Principal, @Args('input') { personId }: SpendPersonInput) {
    return this.people.restore(principal, personId);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Merges two people. Email addresses and usage move to the remaining person, and so do group, cost centre and budgets that the remaining person lacks. This cannot be undone.',
  })
  mergeSpendPeople(@CurrentPrincipal() principal: Principal, @Args('input') { fromId, intoId }: MergeSpendPeopleInput) {
    return this.people.merge(principal, { from: fromId, into: intoId });
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, {
    description:
      'Adds an email address to a person. Rejected if it belongs to someone else; the message names the owner.',
  })
  addSpendAlias(@CurrentPrincipal() principal: Principal, @Args('input') { personId, email }: SpendAliasInput) {
    return this.people.addAlias(principal, personId, email);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPerson, { description: 'Removes an email address and the matches made by it.' })
  removeSpendAlias(@CurrentPrincipal() principal: Principal, @Args('input') { personId, email }: SpendAliasInput) {
    return this.people.removeAlias(principal, personId, email);
  }
}
