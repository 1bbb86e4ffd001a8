import { Field, ID, ObjectType } from '@nestjs/graphql';
import { SpendFigures } from './spend-report.entity.js';

@ObjectType({ description: 'The change of one row between two ranges of days.' })
export class SpendChange {
  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the person, group, cost centre or connection, or the name of the model. Null for people without a unit.',
  })
  id: string | null;

  @Field(() => ID, { nullable: true, description: 'Vendor identity, if it is not matched to a person.' })
  identityId: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, if the organization uses pseudonyms.',
  })
  name: string | null;

  @Field({ description: 'The compared figure, current minus previous: an exact decimal number.' })
  change: string;

  @Field(() => SpendFigures)
  now: SpendFigures;

  @Field(() => SpendFigures)
  before: SpendFigures;
}

@ObjectType({ description: 'The largest changes between two ranges of days.' })
export class SpendChanges {
  @Field(() => String)
  from: string;

  @Field(() => String)
  to: string;

  @Field(() => String)
  beforeFrom: string;

  @Field(() => String)
  beforeTo: string;

  @Field(() => [SpendChange], { description: 'Largest change first, increase or decrease.' })
  nodes: SpendChange[];
}
