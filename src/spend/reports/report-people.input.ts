import { ArgsType, Field, ID, Int } from '@nestjs/graphql';
import { ArrayMaxSize, IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';

@ArgsType()
export class ReportPeopleArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Part of the name or email address; with pseudonyms, of the pseudonym.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  search?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Only these people.' })
  @IsOptional()
  @ArrayMaxSize(200)
  @IsUUID(undefined, { each: true })
  personIds?: string[] | null;

  @Field(() => Int, { defaultValue: 20, description: 'At most 200.' })
  @IsInt()
  @Min(1)
  @Max(200)
  first: number;
}
