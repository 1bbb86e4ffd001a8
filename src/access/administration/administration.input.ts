import { ArgsType, Field, ID, InputType } from '@nestjs/graphql';
import { IsBoolean, IsEnum, IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';
import { type AdministrationArea, administrationAreas } from './administration-area.js';
import { type ProposedChangeState, proposedChangeStates } from './proposed-change.entity.js';

export const maxReasonLength = 1000;
/** Several lines are possible; NUL and lone surrogates cannot be stored. */
const isStorableText = /^(?=[\s\S]*\S)[^\0\p{Surrogate}]*$/u;

@InputType()
export class SetTwoPersonAdministrationInput {
  @Field(() => administrationAreas)
  @IsEnum(administrationAreas)
  area: AdministrationArea;

  @Field()
  @IsBoolean()
  isEnabled: boolean;
}

@InputType()
export class ProposedChangeInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class ProposedChangeReasonInput extends ProposedChangeInput {
  @Field()
  @MaxLength(maxReasonLength)
  @Matches(isStorableText, { message: 'reason must not be blank' })
  reason: string;
}

@ArgsType()
export class ProposedChangesArgs extends PageArgs {
  @Field(() => proposedChangeStates, { nullable: true })
  @IsOptional()
  @IsEnum(proposedChangeStates)
  state?: ProposedChangeState | null;
}
