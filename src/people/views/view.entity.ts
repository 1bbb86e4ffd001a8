import { Field, ID, ObjectType } from '@nestjs/graphql';
import { SpendUnit } from '../units/unit.entity.js';

@ObjectType({
  description:
    'Whose individual usage an analyst sees. Without groups and "seesEverybody", the analyst sees only totals.',
})
export class SpendView {
  @Field(() => ID)
  memberId: string;

  @Field()
  name: string;

  @Field({ description: 'Everyone, including unmatched identities.' })
  seesEverybody: boolean;

  @Field(() => [SpendUnit], { description: 'Groups whose people the analyst sees.' })
  groups: SpendUnit[];
}

/** The settings that an administrator can change. */
export const viewSettings = ({ seesEverybody, groups }: SpendView) => ({
  seesEverybody,
  groupIds: groups.map(({ id }) => id).sort(),
});
