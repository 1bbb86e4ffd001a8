import { Field, GraphQLISODateTime, ObjectType } from '@nestjs/graphql';
import { Column, Entity } from 'typeorm';
import { IssuedToken } from './issued-token.entity.js';

@ObjectType({
  description:
    'Lets a program administer the organization on behalf of the member who created it, with the current permissions of that member. It cannot decide approvals, reveal keys, publish policies, or change roles, groups or other tokens.',
})
@Entity('admin_tokens')
export class AdminToken extends IssuedToken {
  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  expiresAt: Date;
}
