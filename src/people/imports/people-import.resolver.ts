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
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { SpendPeopleImport, SpendPeopleImportFault, SpendPeopleImportLine } from './people-import.entity.js';
import { PeopleImportService } from './people-import.service.js';

const maxCsvLength = 20_000_000;

@InputType()
export class PreviewSpendPeopleImportInput {
  @Field({
    description:
      'CSV with commas, semicolons or tabs. The first line names the columns: "email" is required; "name", "group", "cost_centre" and "aliases" (separated by spaces) are optional; others are ignored. A missing column changes nothing. An empty cell removes a group or cost centre.',
  })
  @IsString()
  @MaxLength(maxCsvLength)
  csv: string;
}

@InputType()
export class ImportSpendPeopleInput extends PreviewSpendPeopleImportInput {
  @Field({ description: 'The "hash" of the preview.' })
  @IsHexadecimal()
  @Length(64, 64)
  hash: string;

  @Field({ defaultValue: false, description: 'Skips faulty lines and imports the others.' })
  @IsBoolean()
  skipsFaulty: boolean;
}

@ArgsType()
export class LinesArgs {
  @Field(() => Int, { defaultValue: 100, description: 'Number of lines, at most 1,000.' })
  @Min(1)
  @Max(1000)
  first: number;

  @Field(() => Int, { defaultValue: 0, description: 'Only lines after this line of the list.' })
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
    description: 'Previews the import of a list of people, groups and cost centres. Changes nothing.',
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
      'Applies the preview completely, except for faulty lines if they are skipped. Rejected if the effect has changed since the preview. People who are not in the list stay unchanged.',
  })
  importSpendPeople(@CurrentPrincipal() principal: Principal, @Args('input') input: ImportSpendPeopleInput) {
    return this.peopleImport.apply(principal, input);
  }

  @ResolveField(() => [SpendPeopleImportLine], { description: 'New people, by line.' })
  added(@Parent() { added }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(added, lines);
  }

  @ResolveField(() => Int)
  addedCount(@Parent() { added }: SpendPeopleImport) {
    return added.length;
  }

  @ResolveField(() => [SpendPeopleImportLine], { description: 'Changed people, by line.' })
  changed(@Parent() { changed }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(changed, lines);
  }

  @ResolveField(() => Int)
  changedCount(@Parent() { changed }: SpendPeopleImport) {
    return changed.length;
  }

  @ResolveField(() => [SpendPeopleImportFault], {
    description: 'Faults by line. A line can have several faults.',
  })
  faults(@Parent() { faults }: SpendPeopleImport, @Args() lines: LinesArgs) {
    return pageOfLines(faults, lines);
  }

  @ResolveField(() => Int)
  faultCount(@Parent() { faults }: SpendPeopleImport) {
    return faults.length;
  }
}
