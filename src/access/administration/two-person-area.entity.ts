import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AdministrationArea } from './administration-area.js';

/** Changes in this area need a second administrator. Without a row, one is enough. */
@Entity('two_person_areas')
export class TwoPersonArea {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('text')
  area: AdministrationArea;

  @Column('uuid')
  enabledBy: string;

  @Column('timestamptz')
  enabledAt: Date;
}
