import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'A person whose individual usage you may see.' })
export class SpendReportPerson {
  @Field(() => ID, { description: 'For "personIds" of a report.' })
  id: string;

  @Field({ description: 'A pseudonym, if the organization uses pseudonyms.' })
  name: string;
}
