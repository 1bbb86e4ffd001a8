import { ArgsType, Field, ID, InputType } from '@nestjs/graphql';
import { IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import { proposalStates, type ProposalState } from './permit-proposal.entity.js';

@ArgsType()
export class PermitProposalsArgs extends PageArgs {
  @Field(() => proposalStates, { defaultValue: 'open' })
  @IsEnum(proposalStates)
  state: ProposalState;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  configurationId?: string | null;
}

@InputType()
export class AddProposedPermitInput {
  @Field(() => ID, { description: 'The id of the proposal.' })
  @IsUUID()
  id: string;
}

@InputType()
export class DismissPermitProposalInput {
  @Field(() => ID, { description: 'The id of the proposal.' })
  @IsUUID()
  id: string;
}
