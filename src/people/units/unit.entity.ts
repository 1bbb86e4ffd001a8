import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const unitKinds = { group: 'group', cost_centre: 'cost_centre' } as const;
export type UnitKind = keyof typeof unitKinds;
registerEnumType(unitKinds, {
  name: 'SpendUnitKind',
  valuesMap: {
    group: { description: 'A team. Analysts are granted access to the people of groups.' },
    cost_centre: { description: 'Where costs are charged.' },
  },
});

@ObjectType({ description: 'A group or cost centre for spend reports. A person has at most one of each.' })
@Entity('spend_units')
export class SpendUnit {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => unitKinds)
  @Column('text')
  kind: UnitKind;

  @Field()
  @Column('text')
  name: string;
}
