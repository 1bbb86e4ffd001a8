import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Paginated } from '../../platform/graphql/connection.js';

@ObjectType({ description: 'That a person has an account of their own at a connected system. Nobody sees its tokens.' })
export class ConnectedAccount {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field({ description: 'Of the person.' })
  name: string;

  @Field({ description: 'Who signed them in there.' })
  issuer: string;

  @Field(() => String, { nullable: true, description: 'What it may be used for, as the other side says it.' })
  scope: string | null;

  @Field({ description: 'The tools are listed with it, too. It carries nothing out that way.' })
  listsTools: boolean;

  @Field(() => GraphQLISODateTime)
  connectedAt: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Why it is of no use any more; the person can connect it again.',
  })
  endedReason: string | null;
}

@ObjectType('ConnectedAccountConnection')
export class ConnectedAccountPage extends Paginated(ConnectedAccount) {}
