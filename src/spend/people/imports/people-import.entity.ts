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

@ObjectType({ description: 'What one line of a list does.' })
export class SpendPeopleImportLine {
  @Field(() => Int, { description: 'Counted from 1, as editors do; a cell may go over several.' })
  line: number;

  @Field()
  email: string;

  @Field({ description: 'As they are called now, or will be if they are new.' })
  name: string;

  @Field(() => ID, { nullable: true, description: 'Null: they are new.' })
  personId: string | null;

  @Field(() => [SpendPeopleImportChange])
  changes: SpendPeopleImportChange[];

  @Field(() => String, { nullable: true, description: 'What of the line is not followed, and why.' })
  note: string | null;
}

@ObjectType({ description: 'Why a line cannot be followed: it is malformed, or would make one address two people’s.' })
export class SpendPeopleImportFault {
  @Field(() => Int)
  line: number;

  @Field(() => String, { nullable: true, description: 'As the list calls it; null: the whole line.' })
  column: string | null;

  @Field()
  reason: string;
}

@ObjectType({ description: 'A group or cost centre that there will be.' })
export class SpendPeopleImportUnit {
  @Field(() => unitKinds)
  kind: UnitKind;

  @Field()
  name: string;
}

@ObjectType({ description: 'What a list of people does, or did: everything of it, and nothing else.' })
export class SpendPeopleImport {
  @Field({ description: 'Of all of it. Given back to "importSpendPeople", it says that you saw what you apply.' })
  hash: string;

  added: SpendPeopleImportLine[];
  changed: SpendPeopleImportLine[];
  faults: SpendPeopleImportFault[];

  @Field(() => Int, { description: 'Lines that say what there is already.' })
  unchanged: number;

  @Field(() => [SpendPeopleImportUnit], {
    description: 'Groups and cost centres that there are not yet. Look for typing errors.',
  })
  newUnits: SpendPeopleImportUnit[];

  @Field(() => [String], { description: 'Columns of the list that are not read.' })
  ignoredColumns: string[];
}
