import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { SpendFigures } from './spend-report.entity.js';

@ObjectType({ description: 'Of whom or what two ranges of days differ, and by how much.' })
export class SpendChange {
  @Field(() => ID, {
    nullable: true,
    description: 'Of the person, group, cost centre or connection; the name of the model. Null for who is in no group.',
  })
  id: string | null;

  @Field(() => Int, { nullable: true, description: 'Whom the vendor named, where nobody was matched to it.' })
  identityId: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, where the organization shows these.',
  })
  name: string | null;

  @Field({ description: 'What was compared, now less before: an exact decimal number.' })
  change: string;

  @Field(() => SpendFigures)
  now: SpendFigures;

  @Field(() => SpendFigures)
  before: SpendFigures;
}

@ObjectType({ description: 'What changed most between two ranges of days.' })
export class SpendChanges {
  @Field(() => String)
  from: string;

  @Field(() => String)
  to: string;

  @Field(() => String)
  beforeFrom: string;

  @Field(() => String)
  beforeTo: string;

  @Field(() => [SpendChange], { description: 'The greatest change first, whichever way it went.' })
  nodes: SpendChange[];
}
