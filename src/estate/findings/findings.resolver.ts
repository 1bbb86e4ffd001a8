import {
  Args,
  ArgsType,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { ArrayMaxSize, ArrayMinSize, IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { advisories, advisoriesAsOf } from './advisories.js';
import {
  EstateFinding,
  EstateFindingCount,
  EstateRule,
  FindingRuleEnum,
  FindingStateEnum,
  type FindingState,
  SeverityEnum,
} from './finding.entity.js';
import { FindingsService } from './findings.service.js';
import type { RuleId, Severity } from './rule.js';
import { rules } from './rules.js';

const maxFindingsPerRequest = 200;

@ObjectType()
export class EstateFindingConnection extends Paginated(EstateFinding) {}

@ObjectType({ description: 'A user of a client version.' })
export class EstateClientUser {
  @Field({ description: 'The name, or the pseudonym if the organization uses pseudonyms.' })
  name: string;

  @Field({ description: 'The last UTC day on which the vendor reported them with this version: "2026-11-20".' })
  lastDay: string;
}

@ObjectType({ description: 'A known vulnerability that versions are compared with.' })
export class EstateAdvisory {
  @Field(() => ID)
  id: string;

  @Field({ description: '"npm mcp-remote", or the client: "cursor".' })
  affects: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'The first fixed version.' })
  fixedIn: string | null;

  @Field({ description: 'The published description.' })
  url: string;
}

@ObjectType({ description: 'The vulnerabilities known to this release, and the date of the list.' })
export class EstateAdvisories {
  @Field({ description: 'The day on which the list was last compared with the published records.' })
  asOf: string;

  @Field(() => [EstateAdvisory])
  advisories: EstateAdvisory[];
}

@ArgsType()
export class EstateFindingsArgs extends PageArgs {
  @Field(() => FindingStateEnum, { nullable: true, defaultValue: 'open', description: 'null: findings in any state.' })
  @IsOptional()
  @IsEnum(FindingStateEnum)
  state?: FindingState | null;

  @Field(() => [SeverityEnum], { nullable: true })
  @IsOptional()
  @IsEnum(SeverityEnum, { each: true })
  @ArrayMaxSize(5)
  severities?: Severity[] | null;

  @Field(() => [FindingRuleEnum], { nullable: true })
  @IsOptional()
  @IsEnum(FindingRuleEnum, { each: true })
  @ArrayMaxSize(50)
  rules?: RuleId[] | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  fileId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  serverId?: string | null;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  connectionId?: string | null;
}

@InputType()
export class DismissEstateFindingsInput {
  @Field(() => [ID], { description: `At most ${maxFindingsPerRequest}: all of them, or none.` })
  @IsUUID(undefined, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(maxFindingsPerRequest)
  findingIds: string[];

  @Field({ description: 'Why the findings are acceptable.' })
  @IsText(500)
  reason: string;
}

@InputType()
export class ReopenEstateFindingsInput {
  @Field(() => [ID], { description: `At most ${maxFindingsPerRequest}: all of them, or none.` })
  @IsUUID(undefined, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(maxFindingsPerRequest)
  findingIds: string[];
}

@Resolver(() => EstateFinding)
@Authenticate('session', 'admin-token')
export class FindingsResolver {
  constructor(private readonly findings: FindingsService) {}

  @Query(() => EstateFindingConnection, {
    description: 'Issues in the configuration of AI clients, most severe first, then newest first.',
  })
  @Allow('estate:read')
  estateFindings(@CurrentPrincipal() principal: Principal, @Args() { first, after, ...filter }: EstateFindingsArgs) {
    return this.findings.list(principal, { first, after }, filter);
  }

  @Query(() => EstateFinding)
  @Allow('estate:read')
  estateFinding(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.findings.get(principal, id);
  }

  @Query(() => [EstateFindingCount], {
    description: 'The number of findings per rule and severity, most severe first.',
  })
  @Allow('estate:read')
  estateFindingCounts(@CurrentPrincipal() principal: Principal): Promise<EstateFindingCount[]> {
    return this.findings.counts(principal);
  }

  @Query(() => [EstateRule], { description: 'The rules, and why each of them matters.' })
  @Allow('estate:read')
  estateRules(): EstateRule[] {
    return rules.map(({ id, title, why }) => ({ id, title, why }));
  }

  @Query(() => EstateAdvisories, { description: 'The known vulnerabilities that versions are compared with.' })
  @Allow('estate:read')
  estateAdvisories(): EstateAdvisories {
    const shown = advisories.map(({ affects, ...advisory }) => ({
      ...advisory,
      affects: 'client' in affects ? affects.client : `${affects.manager} ${affects.name}`,
    }));
    return { asOf: advisoriesAsOf, advisories: shown };
  }

  @ResolveField(() => [EstateClientUser], {
    description:
      'The users of an outdated client whom you are allowed to see. Requires the analyst role; each access is recorded.',
  })
  @Allow('estate:read')
  users(@CurrentPrincipal() principal: Principal, @Parent() finding: EstateFinding) {
    return this.findings.listUsers(principal, finding);
  }

  @AllowAdminToken()
  @Mutation(() => [EstateFinding], {
    description:
      'Dismisses findings with a reason. They are reported again only if their severity rises, or if they are resolved and reappear.',
  })
  @Allow('estate:manage')
  dismissEstateFindings(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { findingIds, reason }: DismissEstateFindingsInput,
  ) {
    return this.findings.dismiss(principal, findingIds, reason);
  }

  @AllowAdminToken()
  @Mutation(() => [EstateFinding], { description: 'Reopens dismissed findings.' })
  @Allow('estate:manage')
  reopenEstateFindings(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { findingIds }: ReopenEstateFindingsInput,
  ) {
    return this.findings.reopen(principal, findingIds);
  }
}
