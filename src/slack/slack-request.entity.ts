import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A recent request of Slack, by its signature, or by its id in socket mode. It is accepted once. */
@Entity('slack_requests')
export class SlackRequest {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('bytea')
  signature: Buffer;

  @Column('timestamptz')
  receivedAt: Date;
}
