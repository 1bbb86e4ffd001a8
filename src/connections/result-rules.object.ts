import { Field, Int, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { type ResultAction, resultActions, type ResultRules } from './result-rules.js';

const resultActionNames = { ignore: 'ignore', mark: 'mark', redact: 'redact', block: 'block' } as const;
registerEnumType(resultActionNames, {
  name: 'ResultAction',
  description: 'What happens to a result that contains something.',
  valuesMap: {
    ignore: { description: 'The result is not searched.' },
    mark: { description: 'The result is passed on with a note.' },
    redact: { description: 'Each occurrence is replaced.' },
    block: { description: 'The call is executed, and its result is withheld.' },
  },
});

const maxKilobytesLimit = 16 * 1024;

const secrets = 'Keys, tokens and passwords, by their format or the name of their field.';
const personalData = 'E-mail addresses, international phone numbers, IBANs and payment card numbers.';
const protectedFields = 'Fields that the output schema of the tool marks as "writeOnly" or with the format "password".';
const size = 'Results larger than "maxKilobytes". "redact" cuts them.';

@ObjectType('ResultRules', { description: 'What happens to results before anyone receives them.' })
export class ResultRulesType implements ResultRules {
  @Field(() => resultActionNames, { description: secrets })
  secrets: ResultAction;

  @Field(() => resultActionNames, { description: personalData })
  personalData: ResultAction;

  @Field(() => resultActionNames, { description: protectedFields })
  protectedFields: ResultAction;

  @Field(() => resultActionNames, { description: size })
  size: ResultAction;

  @Field(() => Int)
  maxKilobytes: number;
}

@InputType()
export class ResultRulesInput implements ResultRules {
  @Field(() => resultActionNames, { description: secrets })
  @IsIn(resultActions)
  secrets: ResultAction;

  @Field(() => resultActionNames, { description: personalData })
  @IsIn(resultActions)
  personalData: ResultAction;

  @Field(() => resultActionNames, { description: protectedFields })
  @IsIn(resultActions)
  protectedFields: ResultAction;

  @Field(() => resultActionNames, { description: size })
  @IsIn(resultActions)
  size: ResultAction;

  @Field(() => Int, { description: 'From 1 to 16384.' })
  @IsInt()
  @Min(1)
  @Max(maxKilobytesLimit)
  maxKilobytes: number;
}
