import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A key was shown to a member again. The member knows the key, so they cannot approve its requests.',
})
@Entity('key_reveals')
export class KeyReveal {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  keyId: string;

  @Field(() => ID)
  @Column('uuid')
  memberId: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  revealedAt: Date;
}
