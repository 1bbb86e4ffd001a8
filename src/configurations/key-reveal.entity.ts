import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description:
    'Somebody had a key shown again. They know it since then, so they approve nothing that is asked for with it.',
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
