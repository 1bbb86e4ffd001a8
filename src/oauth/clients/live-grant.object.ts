import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { type ClientScope, ClientScopeEnum } from '../client.entity.js';

/** The access of a member's product or terminal, while one of its tokens is valid. */
@ObjectType({ isAbstract: true })
export abstract class LiveGrantObject {
  @Field(() => ID)
  id: string;

  @Field(() => ID)
  memberId: string;

  @Field()
  memberName: string;

  @Field()
  memberEmail: string;

  @Field(() => [ClientScopeEnum])
  scopes: ClientScope[];

  @Field(() => GraphQLISODateTime, { description: 'When its last token was issued.' })
  usedAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'When its last token expires, unless it is refreshed.' })
  expiresAt: Date;
}
