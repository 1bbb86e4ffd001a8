import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const unitKinds = { group: 'group', cost_centre: 'cost_centre' } as const;
export type UnitKind = keyof typeof unitKinds;
registerEnumType(unitKinds, {
  name: 'SpendUnitKind',
  valuesMap: {
    group: { description: 'People who work together. Analysts see the people of groups.' },
    cost_centre: { description: 'Who pays.' },
  },
});

@ObjectType({ description: 'A group or a cost centre that people belong to in reports of spend: one of each at most.' })
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
