import { Field, GraphQLISODateTime, ID, InputType } from '@nestjs/graphql';
import { IsDate, IsOptional, IsUUID } from 'class-validator';

@InputType()
export class NameSubstituteInput {
  @Field(() => ID, {
    nullable: true,
    description: 'The member who is replaced. Omit for yourself; for others this needs "members:manage".',
  })
  @IsOptional()
  @IsUUID()
  memberId?: string | null;

  @Field(() => ID)
  @IsUUID()
  substituteId: string;

  @Field(() => GraphQLISODateTime)
  @IsDate()
  startsAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'At most one year after the start.' })
  @IsDate()
  endsAt: Date;
}

@InputType()
export class EndSubstitutionInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}
