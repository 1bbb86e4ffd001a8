import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType()
export class ExhibitDestination {
  @Field({ description: '"Address"' })
  label: string;

  @Field()
  value: string;
}

@ObjectType({ description: 'The connected system that a call would reach, as it is now.' })
export class ExhibitConnection {
  @Field()
  name: string;

  @Field({ description: 'Which kind of the catalogue.' })
  kind: string;

  @Field(() => [ExhibitDestination], { description: 'Where it leads.' })
  destination: ExhibitDestination[];
}
