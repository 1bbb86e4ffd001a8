import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `waiting`: collects notifications. `obsolete`: nothing in it concerns the recipient any more. */
export type DeliveryState = 'waiting' | 'sending' | 'sent' | 'parked' | 'obsolete';

@ObjectType({ description: 'One message to one recipient. A parked one is not sent again until somebody requests it.' })
@Entity('notification_deliveries')
export class NotificationDelivery {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  /** `email:<member>`, `channel:<channel>` or `dm:<channel>:<member>`. */
  @Column('text')
  recipient: string;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('uuid', { nullable: true })
  channelId: string | null;

  @Column('text')
  state: DeliveryState;

  @Field(() => Int)
  @Column('int')
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  @Column('text', { nullable: true })
  reason: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  sendAt: Date;

  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;
}
