import { ArgsType, Field, GraphQLISODateTime, ID } from '@nestjs/graphql';
import { IsDate, IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';

@ArgsType()
export class AuditFilter {
  @Field(() => String, {
    nullable: true,
    description: 'A kind, such as "member.suspended", or a prefix that ends with a dot, such as "member."',
  })
  @IsOptional()
  @MaxLength(200)
  @Matches(/^[^\0]*$/)
  kind?: string | null;

  @Field(() => ID, { nullable: true, description: 'The member or the agent identity that acted.' })
  @IsOptional()
  @IsUUID()
  actorId?: string | null;

  @Field(() => ID, { nullable: true, description: 'The affected object: a member, a connection, a call or a task.' })
  @IsOptional()
  @IsUUID()
  subjectId?: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Start of the time range, inclusive.' })
  @IsOptional()
  @IsDate()
  from?: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'End of the time range, exclusive.' })
  @IsOptional()
  @IsDate()
  to?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The id of the event, the actor or the affected object. Any other text matches part of the kind or of their names.',
  })
  @IsOptional()
  @MaxLength(200)
  @Matches(/^[^\0]*$/)
  search?: string | null;
}
