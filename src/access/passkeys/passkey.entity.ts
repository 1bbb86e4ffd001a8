import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({ description: 'A key pair that a person’s device or password manager keeps; we have the public half.' })
@Entity('passkeys')
export class Passkey {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  memberId: string;

  @Column('bytea')
  credentialId: Buffer;

  @Column('bytea')
  publicKey: Buffer;

  /** How often its device has signed, where the device counts; a bigint arrives as text. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  counter: number;

  @Column('text', { array: true })
  transports: string[];

  @Field({ description: 'Whether it is kept on several devices, by a password manager.' })
  @Column('boolean')
  isSynced: boolean;

  @Field()
  @Column('text')
  name: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
