import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'An organization. Every other object belongs to exactly one.' })
@Entity('tenants')
export class Tenant {
  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'Its name in URLs: "/sign-in?organization=…".' })
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
    description: 'Since when calls of agents are blocked; null: not paused.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field({ description: 'Whether members who have a passkey must use it after their password.' })
  @Column('boolean')
  requiresSecondFactor: boolean;
}
