import { ArgsType, Field, GraphQLISODateTime, ID } from '@nestjs/graphql';
import { IsDate, IsOptional, IsUUID, Matches, MaxLength } from 'class-validator';

@ArgsType()
export class AuditFilter {
  @Field(() => String, {
    nullable: true,
    description: 'A kind: "member.suspended"; or all of a noun, with its point: "member."',
  })
  @IsOptional()
  @MaxLength(200)
  @Matches(/^[^\0]*$/)
  kind?: string | null;

  @Field(() => ID, { nullable: true, description: 'The member or the agent identity that acted.' })
  @IsOptional()
  @IsUUID()
  actorId?: string | null;

  @Field(() => ID, { nullable: true, description: 'What it happened to: a member, a connection, a call, a task.' })
  @IsOptional()
  @IsUUID()
  subjectId?: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Not before.' })
  @IsOptional()
  @IsDate()
  from?: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Before.' })
  @IsOptional()
  @IsDate()
  to?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'An id: of the event, of who acted or of what it happened to. Other text: part of the kind or of one of both names.',
  })
  @IsOptional()
  @MaxLength(200)
  @Matches(/^[^\0]*$/)
  search?: string | null;
}
