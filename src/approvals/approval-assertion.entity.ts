import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ApprovalDecision } from './approval-decision.port.js';

const base64url = {
  from: (bytes: Buffer) => bytes.toString('base64url'),
  to: (text: string) => Buffer.from(text, 'base64url'),
};

@ObjectType({
  description:
    'The evidence that a member decided with a passkey. Binary values are base64url. The challenge in "clientData" is 32 random bytes followed by the SHA-256 of "statement".',
})
@Entity('approval_assertions')
export class ApprovalAssertion {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  approvalId: string;

  @Field(() => ID)
  @Column('uuid')
  memberId: string;

  @Field(() => String, { description: '"approve" or "deny".' })
  @Column('text')
  decision: ApprovalDecision;

  @Field(() => ID)
  @Column('uuid')
  passkeyId: string;

  @Field()
  @Column('bytea', { transformer: base64url })
  credentialId: string;

  @Field({ description: 'The public key of the passkey, as a COSE key.' })
  @Column('bytea', { transformer: base64url })
  publicKey: string;

  @Field({
    description:
      'What the passkey signed, as canonical JSON: the organization, the member, the approval, its step, the decision, and the hashes of the arguments and of the tool definition.',
  })
  @Column('text')
  statement: string;

  @Field({ description: 'The client data of the browser, as JSON: the challenge and the origin of the page.' })
  @Column('bytea', { transformer: base64url })
  clientData: string;

  @Field({ description: 'The hash of the host name, the flags (user present, user verified), and the counter.' })
  @Column('bytea', { transformer: base64url })
  authenticatorData: string;

  @Field({ description: 'Over the authenticator data, followed by the SHA-256 of the client data.' })
  @Column('bytea', { transformer: base64url })
  signature: string;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  counter: number;

  @Field({ description: 'Whether a password manager synced the passkey to several devices.' })
  @Column('boolean')
  isSynced: boolean;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}
