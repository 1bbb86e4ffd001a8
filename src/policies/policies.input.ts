import { Field, GraphQLISODateTime, ID, InputType, Int } from '@nestjs/graphql';
import { IsDate, IsInt, IsOptional, IsUUID, Matches, MaxLength, Min } from 'class-validator';
import { maxPolicyTextLength, storableText } from './policy.js';

const isStorable = { message: '$property has characters that cannot be stored' };

@InputType()
export class SavePolicyDraftInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'Cedar. It may have errors still.' })
  @MaxLength(maxPolicyTextLength)
  @Matches(storableText, isStorable)
  text: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The revision that the text was written on: refused if another one was published since.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  basedOn?: number | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      '"savedAt" of the draft that the text goes on from; null: there was none. Refused if another one was saved since. Left out: replaces whatever is there.',
  })
  @IsOptional()
  @IsDate()
  replaces?: Date | null;
}

@InputType()
export class DiscardPolicyDraftInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;
}

@InputType()
export class PublishPolicyInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'Cedar.' })
  @MaxLength(maxPolicyTextLength)
  @Matches(storableText, isStorable)
  text: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the text was written on: refused if another one was published since. Left out: replaces whatever is published.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  basedOn?: number | null;
}
