import { Field, GraphQLISODateTime, ID, InputType, Int } from '@nestjs/graphql';
import { IsDate, IsInt, IsOptional, IsUUID, Matches, MaxLength, Min } from 'class-validator';
import { maxPolicyTextLength, storableText } from './policy.js';

const maxNoteLength = 500;
const isStorable = { message: '$property has characters that cannot be stored' };

@InputType()
export class SavePolicyDraftInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'Cedar policies. A draft may have errors.' })
  @MaxLength(maxPolicyTextLength)
  @Matches(storableText, isStorable)
  text: string;

  @Field(() => Int, {
    nullable: true,
    description: 'The revision that the text is based on. Saving fails if another one was published since.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  basedOn?: number | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      '"savedAt" of the draft that the text is based on; null if there was none. Saving fails if another one was saved since. Omit to overwrite any draft.',
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

  @Field({ description: 'Cedar policies.' })
  @MaxLength(maxPolicyTextLength)
  @Matches(storableText, isStorable)
  text: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the text is based on. Publishing fails if another one was published since. Omit to replace any revision.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  basedOn?: number | null;

  @Field(() => String, { nullable: true, description: 'Why you change the policies, for the list of revisions.' })
  @IsOptional()
  @MaxLength(maxNoteLength)
  @Matches(storableText, isStorable)
  note?: string | null;
}
