import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The arguments that an edit replaced. Version 1 is what the caller requested. */
@Entity('call_versions')
export class CallVersion {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  callId: string;

  @PrimaryColumn('int')
  version: number;

  @Column('bytea')
  argumentsSealed: Buffer;

  @Column('bytea')
  argumentsHash: Buffer;

  /** The member who edited this version. */
  @Column('uuid')
  replacedBy: string;

  @Column('timestamptz')
  replacedAt: Date;
}
