import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType()
export class ConnectionDestination {
  @Field({ description: 'For example "Address".' })
  label: string;

  @Field()
  value: string;
}

@ObjectType({ description: 'The connected system that a call would reach, by its current settings.' })
export class ReviewedConnection {
  @Field()
  name: string;

  @Field({ description: 'The code of the connector in the catalog.' })
  kind: string;

  @Field(() => [ConnectionDestination], { description: 'Where the call goes.' })
  destination: ConnectionDestination[];
}
