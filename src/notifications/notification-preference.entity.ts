import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { NotificationKind } from './notification-kinds.js';

/** What a member receives where. */
@Entity('notification_preferences')
export class NotificationPreference {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  memberId: string;

  @Column('text', { array: true })
  email: NotificationKind[];

  @Column('text', { array: true })
  directMessage: NotificationKind[];
}
