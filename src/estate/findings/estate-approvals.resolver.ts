import { Args, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ApprovedKindEnum, EstateApproval } from './approved/estate-approval.entity.js';
import { EstateApprovalsService } from './estate-approvals.service.js';
import type { ApprovedKind } from './approved/approved-list.js';

@ObjectType()
export class EstateApprovalConnection extends Paginated(EstateApproval) {}

@InputType()
export class ApproveEstateServersInput {
  @Field(() => ApprovedKindEnum)
  @IsEnum(ApprovedKindEnum)
  kind: ApprovedKind;

  @Field({ description: '"npm:@scope/name", "tools.example.com", "*.example.com", or the hash of a definition.' })
  @IsText(400)
  value: string;

  @Field(() => String, { nullable: true, description: 'What it is for, and who reviewed it.' })
  @IsOptional()
  @IsText(500)
  note?: string | null;
}

@InputType()
export class ApproveEstateEntryInput {
  @Field(() => ID)
  @IsUUID()
  entryId: string;

  @Field(() => String, { nullable: true, description: 'What it is for, and who reviewed it.' })
  @IsOptional()
  @IsText(500)
  note?: string | null;
}

@InputType()
export class RevokeEstateApprovalInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@Resolver(() => EstateApproval)
@Authenticate('session', 'admin-token')
export class EstateApprovalsResolver {
  constructor(private readonly approvals: EstateApprovalsService) {}

  @Query(() => EstateApprovalConnection, {
    description: 'The servers that assistants may use, most recently approved first.',
  })
  @Allow('estate:read')
  estateApprovals(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    return this.approvals.list(principal, page);
  }

  @Mutation(() => EstateApproval, {
    description: 'Approves a package, a host or one definition. All findings are reevaluated immediately.',
  })
  @Allow('estate:manage')
  approveEstateServers(
    @CurrentPrincipal() principal: Principal,
    @Args('input') input: ApproveEstateServersInput,
  ): Promise<EstateApproval> {
    return this.approvals.approve(principal, input);
  }

  @Mutation(() => EstateApproval, {
    description: 'Approves exactly the current definition of an entry. A later change is reported as a finding.',
  })
  @Allow('estate:manage')
  approveEstateEntry(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { entryId, note }: ApproveEstateEntryInput,
  ): Promise<EstateApproval> {
    return this.approvals.approveEntry(principal, entryId, note);
  }

  @AllowAdminToken()
  @Mutation(() => ID, { description: 'Revokes an approval.' })
  @Allow('estate:manage')
  revokeEstateApproval(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id }: RevokeEstateApprovalInput,
  ): Promise<string> {
    return this.approvals.revoke(principal, id);
  }
}
