import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';

export const AudienceReadersEnum = { everyone: 'everyone', unreadable: 'unreadable', sets: 'sets' } as const;
registerEnumType(AudienceReadersEnum, {
  name: 'SourceAudienceReaders',
  valuesMap: {
    everyone: { description: 'All members whose configuration includes the connection.' },
    unreadable: { description: 'The source does not tell, so nobody can find the documents.' },
    sets: { description: 'The people who are in every one of its sets.' },
  },
});

@ObjectType('SourceAudience', { description: 'Who may read a repository, space or channel in the source.' })
export class SourceAudienceView {
  @Field({ description: 'Its id in the source.' })
  externalId: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'Where a person can check it in the source.' })
  url: string | null;

  @Field({ description: 'The rule of the source, in one sentence.' })
  rule: string;

  @Field(() => AudienceReadersEnum)
  readers: keyof typeof AudienceReadersEnum;

  @Field(() => Int)
  setCount: number;
}

@ObjectType({ description: 'An account of the member in the source.' })
export class DocumentAccessAccount {
  @Field({ description: 'Its id in the source.' })
  externalId: string;

  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: 'The address that joins it to the member.' })
  email: string | null;

  @Field(() => Boolean, { description: 'An administrator assigned it to the member.' })
  isAssigned: boolean;
}

@ObjectType({ description: 'How the member belongs to a set of readers.' })
export class DocumentAccessPath {
  @Field(() => Int, { description: 'The number of the set, from 0.' })
  set: number;

  @Field({ description: 'The id of the account in the source.' })
  account: string;

  @Field()
  accountName: string;

  @Field(() => String, {
    nullable: true,
    description: 'The group of the source to which the account belongs. Null: the account is in the set itself.',
  })
  group: string | null;
}

@ObjectType({ description: 'Why a member can or cannot read a document, from the document to the member.' })
export class DocumentAccess {
  @Field(() => Boolean, {
    description:
      'Whether the groups and the source permit it. The member also needs a configuration that includes the connection.',
  })
  isPermitted: boolean;

  @Field(() => [String], { description: 'What prevents it, in sentences. Empty if it is permitted.' })
  obstacles: string[];

  @Field(() => [ID], { nullable: true, description: 'The groups that may read it. Null: everyone who may use it.' })
  groupIds: string[] | null;

  @Field(() => [ID], { description: 'The groups of the member among these.' })
  sharedGroupIds: string[];

  @Field(() => Boolean, { description: 'The source sets who may read it.' })
  hasAudience: boolean;

  @Field(() => SourceAudienceView, { nullable: true, description: 'Null: the source lists no such audience.' })
  audience: SourceAudienceView | null;

  @Field(() => [DocumentAccessAccount])
  accounts: DocumentAccessAccount[];

  @Field(() => [DocumentAccessPath])
  paths: DocumentAccessPath[];

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the permissions of the source were read.' })
  rosterReadAt: Date | null;
}
