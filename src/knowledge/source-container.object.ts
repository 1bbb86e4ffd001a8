import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType('SourceContainer', { description: 'A repository, project, space or channel that a connection can sync.' })
export class SourceContainerView {
  @Field(() => ID)
  id: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true, description: 'For example "private" or "1,204 pages".' })
  note?: string;
}
