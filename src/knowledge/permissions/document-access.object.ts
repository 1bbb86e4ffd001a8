import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';

export const AudienceReadersEnum = { everyone: 'everyone', unreadable: 'unreadable', sets: 'sets' } as const;
registerEnumType(AudienceReadersEnum, {
  name: 'SourceAudienceReaders',
  valuesMap: {
    everyone: { description: 'All members whose configuration includes the connection.' },
    unreadable: { description: 'The source does not disclose the readers, so the documents cannot be found.' },
    sets: { description: 'The people who are in every one of its sets.' },
  },
});

@ObjectType('SourceAudience', { description: 'Who may read a repository, space or channel in the source.' })
export class SourceAudienceView {
  @Field({ description: 'Its id in the source.' })
  externalId: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'The page in the source that shows the readers.' })
  url: string | null;

  @Field({ description: 'The access rule of the source, in one sentence.' })
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

  @Field(() => String, { nullable: true, description: 'Its email address in the source.' })
  email: string | null;

  @Field(() => Boolean, { description: 'An administrator assigned it to the member.' })
  isAssigned: boolean;
}

@ObjectType({ description: 'How the member belongs to a set of readers.' })
export class DocumentAccessPath {
  @Field(() => Int, { description: 'The position of the set, starting at 0.' })
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

@ObjectType({ description: 'Why a member can or cannot read a document.' })
export class DocumentAccess {
  @Field(() => Boolean, {
    description:
      'Whether the groups and the source permit it. The member also needs a configuration that includes the connection.',
  })
  isPermitted: boolean;

  @Field(() => [String], {
    description: 'The reasons that prevent access, as sentences. Empty if access is permitted.',
  })
  obstacles: string[];

  @Field(() => [ID], {
    nullable: true,
    description: 'The groups that may read the document. Null: not restricted to groups.',
  })
  groupIds: string[] | null;

  @Field(() => [ID], { description: 'The groups of the member that may read the document.' })
  sharedGroupIds: string[];

  @Field(() => Boolean, { description: 'The source decides who may read the document.' })
  hasAudience: boolean;

  @Field(() => SourceAudienceView, {
    nullable: true,
    description: 'Null: the source does not list the audience that the document names.',
  })
  audience: SourceAudienceView | null;

  @Field(() => [DocumentAccessAccount])
  accounts: DocumentAccessAccount[];

  @Field(() => [DocumentAccessPath])
  paths: DocumentAccessPath[];

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the permissions of the source were last read.',
  })
  rosterReadAt: Date | null;
}
