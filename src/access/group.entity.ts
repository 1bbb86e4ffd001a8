import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'Members who may use the same configurations, read the same documents, or decide the same approvals.',
})
@Entity('groups')
export class Group {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
