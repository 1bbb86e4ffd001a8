import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../platform/graphql/connection.js';

@ObjectType({ description: 'A person’s own account at a connected system. Its tokens are never shown.' })
export class ConnectedAccount {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field({ description: 'Name of the person.' })
  name: string;

  @Field({ description: 'The authorization server that issued the access.' })
  issuer: string;

  @Field(() => String, { nullable: true, description: 'The granted OAuth scope.' })
  scope: string | null;

  @Field({ description: 'The account is also used to list the tools. Listing executes nothing.' })
  listsTools: boolean;

  @Field(() => GraphQLISODateTime)
  connectedAt: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Why the account no longer works. The person can reconnect it.',
  })
  endedReason: string | null;
}

@ObjectType('ConnectedAccountConnection')
export class ConnectedAccountPage extends Paginated(ConnectedAccount) {}
