import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { unitKinds, type UnitKind } from '../units/unit.entity.js';

const listFields = { name: 'name', group: 'group', cost_centre: 'cost_centre', alias: 'alias' } as const;
registerEnumType(listFields, { name: 'SpendPeopleImportField' });

@ObjectType()
export class SpendPeopleImportChange {
  @Field(() => listFields)
  field: keyof typeof listFields;

  @Field(() => String, { nullable: true })
  from: string | null;

  @Field(() => String, { nullable: true })
  to: string | null;
}

@ObjectType({ description: 'The effect of one line of a list.' })
export class SpendPeopleImportLine {
  @Field(() => Int, { description: 'First line of the record, counted from 1. A cell can span several lines.' })
  line: number;

  @Field()
  email: string;

  @Field({ description: 'Current name, or the name of a new person.' })
  name: string;

  @Field(() => ID, { nullable: true, description: 'Null for a new person.' })
  personId: string | null;

  @Field(() => [SpendPeopleImportChange])
  changes: SpendPeopleImportChange[];

  @Field(() => String, { nullable: true, description: 'The part of the line that is not applied, and why.' })
  note: string | null;
}

@ObjectType({
  description: 'Why a line is rejected: it is malformed, or would assign one email address to two people.',
})
export class SpendPeopleImportFault {
  @Field(() => Int)
  line: number;

  @Field(() => String, { nullable: true, description: 'Column name from the list. Null for the whole line.' })
  column: string | null;

  @Field()
  reason: string;
}

@ObjectType({ description: 'A group or cost centre that the import creates.' })
export class SpendPeopleImportUnit {
  @Field(() => unitKinds)
  kind: UnitKind;

  @Field()
  name: string;
}

@ObjectType({ description: 'The complete effect of importing a list of people.' })
export class SpendPeopleImport {
  @Field({ description: 'Hash of the complete effect. Pass it to "importSpendPeople" to apply exactly this preview.' })
  hash: string;

  added: SpendPeopleImportLine[];
  changed: SpendPeopleImportLine[];
  faults: SpendPeopleImportFault[];

  @Field(() => Int, { description: 'Lines that change nothing.' })
  unchanged: number;

  @Field(() => [SpendPeopleImportUnit], {
    description: 'New groups and cost centres. Check them for typing errors.',
  })
  newUnits: SpendPeopleImportUnit[];

  @Field(() => [String], { description: 'Columns of the list that are ignored.' })
  ignoredColumns: string[];
}
