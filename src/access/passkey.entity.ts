import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType({
  description: 'A key pair on a person’s device or in their password manager. Countersign stores only the public key.',
})
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

  /** Signature counter, 0 if the authenticator has none. The driver returns a bigint as text. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  counter: number;

  @Column('text', { array: true })
  transports: string[];

  @Field({ description: 'Whether a password manager syncs it to several devices.' })
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
