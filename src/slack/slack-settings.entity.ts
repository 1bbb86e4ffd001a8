import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Whether the organization allows decisions in Slack. Without a row, it does. */
@Entity('slack_settings')
export class SlackSettings {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Column('boolean')
  allowsDecisions: boolean;
}
