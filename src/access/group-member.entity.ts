import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('group_members')
export class GroupMember {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  groupId: string;

  @PrimaryColumn('uuid')
  memberId: string;

  @Column('timestamptz')
  joinedAt: Date;
}
