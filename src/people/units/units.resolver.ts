import { Args, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsEnum, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { SpendUnit, type UnitKind, unitKinds } from './unit.entity.js';
import { UnitsService } from './units.service.js';

@ObjectType()
export class SpendUnitConnection extends Paginated(SpendUnit) {}

@InputType()
export class CreateSpendUnitInput {
  @Field(() => unitKinds)
  @IsEnum(unitKinds)
  kind: UnitKind;

  @Field()
  @IsText(120)
  name: string;
}

@InputType()
export class SpendUnitInput {
  @Field(() => ID)
  @IsUUID()
  unitId: string;
}

@InputType()
export class RenameSpendUnitInput extends SpendUnitInput {
  @Field()
  @IsText(120)
  name: string;
}

@Resolver(() => SpendUnit)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class UnitsResolver {
  constructor(private readonly units: UnitsService) {}

  @Query(() => SpendUnitConnection, { description: 'Groups and cost centres for spend reports, by name.' })
  @Allow('spend:read')
  spendUnits(
    @CurrentPrincipal() principal: Principal,
    @Args() page: PageArgs,
    @Args('kind', { type: () => unitKinds, nullable: true }) kind?: UnitKind | null,
  ) {
    return this.units.list(principal, page, kind);
  }

  @AllowAdminToken()
  @Mutation(() => SpendUnit, {
    description: 'Creates a group or cost centre. The name must be unique within its kind, ignoring case.',
  })
  createSpendUnit(@CurrentPrincipal() principal: Principal, @Args('input') { kind, name }: CreateSpendUnitInput) {
    return this.units.create(principal, kind, name);
  }

  @AllowAdminToken()
  @Mutation(() => SpendUnit)
  renameSpendUnit(@CurrentPrincipal() principal: Principal, @Args('input') { unitId, name }: RenameSpendUnitInput) {
    return this.units.rename(principal, unitId, name);
  }

  @AllowAdminToken()
  @Mutation(() => SpendUnit, { description: 'Rejected if it has people or if analysts have access to it.' })
  removeSpendUnit(@CurrentPrincipal() principal: Principal, @Args('input') { unitId }: SpendUnitInput) {
    return this.units.remove(principal, unitId);
  }
}
