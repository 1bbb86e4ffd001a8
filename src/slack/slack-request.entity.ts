import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The signature of a recent request of Slack. */
@Entity('slack_requests')
export class SlackRequest {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('bytea')
  signature: Buffer;

  @Column('timestamptz')
  receivedAt: Date;
}
