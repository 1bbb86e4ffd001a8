import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The connection to Slack of an organization that gave an app-level token. */
@Entity('slack_sockets')
export class SlackSocket {
  @PrimaryColumn('uuid')
  tenantId: string;

  /** Changes with the token. */
  @Column('uuid')
  revision: string;

  @Column('bytea')
  sealedToken: Buffer;

  /** The member who entered the token. */
  @Column('uuid')
  createdBy: string;

  @Column('timestamptz', { nullable: true })
  connectedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  disconnectedAt: Date | null;

  /** Failed attempts in a row. */
  @Column('int')
  attempts: number;

  /** Why there is no connection. Null: there is one, or the first attempt has not ended. */
  @Column('text', { nullable: true })
  lastError: string | null;

  @Column('timestamptz')
  nextAttemptAt: Date;

  @Column('uuid', { nullable: true })
  leaseToken: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;
}
