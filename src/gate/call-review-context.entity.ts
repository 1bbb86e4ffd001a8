import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType()
export class ConnectionDestination {
  @Field({ description: '"Address"' })
  label: string;

  @Field()
  value: string;
}

@ObjectType({ description: 'The connected system that a call would reach, as it is now.' })
export class ReviewedConnection {
  @Field()
  name: string;

  @Field({ description: 'Which kind of the catalogue.' })
  kind: string;

  @Field(() => [ConnectionDestination], { description: 'Where it leads.' })
  destination: ConnectionDestination[];
}
