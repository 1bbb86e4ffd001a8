import { Field, GraphQLISODateTime, Int, ObjectType } from '@nestjs/graphql';
import { type AdministrationArea, administrationAreas } from './administration-area.js';

@ObjectType()
export class TwoPersonAreaSetting {
  @Field(() => administrationAreas)
  area: AdministrationArea;

  @Field({ description: 'Whether changes in this area need a second administrator.' })
  isEnabled: boolean;

  @Field(() => GraphQLISODateTime, { nullable: true })
  enabledAt: Date | null;
}

@ObjectType({ description: 'Which kinds of administration need a second administrator.' })
export class TwoPersonAdministration {
  @Field(() => [TwoPersonAreaSetting])
  areas: TwoPersonAreaSetting[];

  @Field(() => Int, { description: 'How many active administrators the organization has.' })
  administratorCount: number;

  @Field({
    description:
      'Whether another administrator is independent of you and could confirm your changes. If not, changes that need a second administrator cannot be made.',
  })
  hasSecondAdministrator: boolean;
}
