import { Field, GraphQLISODateTime, ID, InputType, Int } from '@nestjs/graphql';
import { ArrayMaxSize, IsDate, IsIn, IsOptional, IsUUID, Length, Max, Min } from 'class-validator';
import { DocumentKindEnum, documentKinds, type DocumentKind } from './document.entity.js';

@InputType()
export class SyncKnowledgeSourceInput {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;
}

@InputType()
export class DeleteDocumentInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class RetryQuarantinedDocumentInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class SearchKnowledgeInput {
  @Field()
  @Length(1, 1000)
  query: string;

  @Field(() => Int, { nullable: true, description: 'At most 20. Defaults to 8.' })
  @IsOptional()
  @Min(1)
  @Max(20)
  limit?: number | null;

  @Field(() => DocumentKindEnum, { nullable: true })
  @IsOptional()
  @IsIn(documentKinds)
  kind?: DocumentKind | null;

  @Field(() => [ID], { nullable: true, description: 'Searches only these connections. Defaults to all sources.' })
  @IsOptional()
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(100)
  connectionIds?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Searches only the repository, project, space or channel with this title.',
  })
  @IsOptional()
  @Length(1, 300)
  container?: string | null;

  @Field(() => String, { nullable: true, description: 'Searches only documents of this author.' })
  @IsOptional()
  @Length(1, 300)
  author?: string | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Searches only documents last changed at this time or later.',
  })
  @IsOptional()
  @IsDate()
  changedSince?: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Searches only documents last changed before this time.',
  })
  @IsOptional()
  @IsDate()
  changedBefore?: Date | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'Searches as a reader in these groups. Defaults to your own groups. Recorded in the audit log.',
  })
  @IsOptional()
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(100)
  asGroups?: string[] | null;
}

@InputType()
export class ReadKnowledgeInput {
  @Field(() => ID)
  @IsUUID()
  documentId: string;

  @Field(() => Int, { nullable: true, description: '"next" of the previous part.' })
  @IsOptional()
  @Min(0)
  @Max(1_000_000)
  from?: number | null;

  @Field(() => [ID], {
    nullable: true,
    description: 'Reads as a reader in these groups. Defaults to your own groups. Recorded in the audit log.',
  })
  @IsOptional()
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(100)
  asGroups?: string[] | null;
}
