import { Field, ID, ObjectType } from '@nestjs/graphql';
import { SpendUnit } from '../units/unit.entity.js';

@ObjectType({ description: 'Whose single figures an analyst sees. Without either, nobody’s: only sums.' })
export class SpendView {
  @Field(() => ID)
  memberId: string;

  @Field()
  name: string;

  @Field({ description: 'Everybody’s, and those of whoever nobody was matched to.' })
  seesEverybody: boolean;

  @Field(() => [SpendUnit], { description: 'The groups whose people they see.' })
  groups: SpendUnit[];
}

/** What an administrator enters and sees again. */
export const viewSettings = ({ seesEverybody, groups }: SpendView) => ({
  seesEverybody,
  groupIds: groups.map(({ id }) => id).sort(),
});
