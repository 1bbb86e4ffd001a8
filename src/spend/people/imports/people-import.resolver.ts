import {
  Args,
  ArgsType,
  Field,
  InputType,
  Int,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { IsBoolean, IsHexadecimal, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { Allow, AllowAdminToken, Authenticate } from '../../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../../principal/current-principal.decorator.js';
import type { Principal } from '../../../principal/principal.js';
import { SpendPeopleImport, SpendPeopleImportFault, SpendPeopleImportLine } from './people-import.entity.js';
import { PeopleImportService } from './people-import.service.js';

const maxCsvLength = 20_000_000;

@InputType()
export class PreviewSpendPeopleImportInput {
  @Field({
    description:
      'CSV: commas, semicolons or tabs; the first line names the columns. "email" is needed; "name", "group", "cost_centre" and "aliases" (several, with blanks between) may be there, others are ignored. A column that is not there changes nothing; an empty cell takes a group or cost centre away.',
  })
  @IsString()
  @MaxLength(maxCsvLength)
  csv: string;
}

@InputType()
export class ImportSpendPeopleInput extends PreviewSpendPeopleImportInput {
  @Field({ description: '"hash" of the preview.' })
  @IsHexadecimal()
  @Length(64, 64)
  hash: string;

  @Field({ defaultValue: false, description: 'Follows the other lines although some are faulty.' })
  @IsBoolean()
  skipsFaulty: boolean;
}

@ArgsType()
export class LinesArgs {
  @Field(() => Int, { defaultValue: 100, description: 'How many, at most 1,000.' })
  @Min(1)
  @Max(1000)
  first: number;

  @Field(() => Int, { defaultValue: 0, description: 'Only those behind this line of the list.' })
  @Min(0)
  afterLine: number;
}

const pageOfLines = <T extends { line: number }>(all: readonly T[], { first, afterLine }: LinesArgs): T[] =>
  all.filter(({ line }) => line > afterLine).slice(0, first);

@Resolver(() => SpendPeopleImport)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class PeopleImportResolver {
  constructor(private readonly peopleImport: PeopleImportService) {}

  @Query(() => SpendPeopleImport, {
    description: 'What a list of people, groups and cost centres would do. Nothing is changed.',
  })
  previewSpendPeopleImport(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { csv }: PreviewSpendPeopleImportInput,
  ) {
    return this.peopleImport.preview(principal, csv);
  }

  @AllowAdminToken()
  @Mutation(() => SpendPeopleImport, {
    description:
      'Does what the preview showed: all of it, or, where faulty lines are left out, all but these. Refused if anything of it would be different by now. People who are not in the list stay as they are.',
  })
  importSpendPeople(@CurrentPrincipal() principal: Principal, @Args('input') input: ImportSpendPeopleInput) {
    return this.peopleImport.apply(principal, input);
  }

  @ResolveField(() => [SpendPeopleImportLine], { description: 'People who are new, by line.' })
  added(@Parent() { added }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(added, lines);
  }

  @ResolveField(() => Int)
  addedCount(@Parent() { added }: SpendPeopleImport) {
    return added.length;
  }

  @ResolveField(() => [SpendPeopleImportLine], { description: 'People of whom something changes, by line.' })
  changed(@Parent() { changed }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(changed, lines);
  }

  @ResolveField(() => Int)
  changedCount(@Parent() { changed }: SpendPeopleImport) {
    return changed.length;
  }

  @ResolveField(() => [SpendPeopleImportFault], {
    description: 'What is wrong, by line. A line may have several faults.',
  })
  faults(@Parent() { faults }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(faults, lines);
  }

  @ResolveField(() => Int)
  faultCount(@Parent() { faults }: SpendPeopleImport) {
    return faults.length;
  }
}
