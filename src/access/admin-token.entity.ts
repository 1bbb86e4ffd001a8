import { Field, GraphQLISODateTime, ObjectType } from '@nestjs/graphql';
import { Column, Entity } from 'typeorm';
import { IssuedToken } from './issued-token.entity.js';

@ObjectType({
  description:
    'Lets a program administer in the name of the member who made it, with what that member may do now. It decides no approval, reveals no key, publishes no policy, and touches neither roles nor groups nor other tokens.',
})
@Entity('admin_tokens')
export class AdminToken extends IssuedToken {
  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  expiresAt: Date;
}
