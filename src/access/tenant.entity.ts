import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'An organization. Everything else belongs to exactly one.' })
@Entity('tenants')
export class Tenant {
  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'Its short name in addresses: "/sign-in?organization=…".' })
  @Column('text')
  slug: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Since when every call of every agent is held back.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field({ description: 'Whether members who have a passkey need it besides their password.' })
  @Column('boolean')
  requiresSecondFactor: boolean;
}
