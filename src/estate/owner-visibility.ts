import { Field, ID, ObjectType } from '@nestjs/graphql';
import type { Principal } from '../principal/principal.js';
import type { PeopleVisibility } from '../people/people-visibility.service.js';
import { maskHomeFolders, maskHomeFoldersIn } from './home-folders.js';

@ObjectType({ description: 'The owner of a file or a device.' })
export class EstateOwner {
  @Field(() => ID, { nullable: true, description: 'The id of a matched person ("spendPeople").' })
  personId: string | null;

  @Field({
    description:
      'The name, or the pseudonym if the organization uses pseudonyms; the email address if the person is not matched.',
  })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'The reported email address; null if the organization uses pseudonyms.',
  })
  email: string | null;
}

/** Owner columns of the statements. */
export interface OwnedRow {
  ownerEmail: string | null;
  personId: string | null;
  personName: string | null;
  pseudonym: string | null;
  pseudonymId: string | null;
  groupId: string | null;
}

/**
 * Managers of the estate see all owners, because they have to reach them. Analysts see the people they see in reports.
 */
export class OwnerVisibility {
  constructor(
    private readonly principal: Principal,
    private readonly visibility: PeopleVisibility,
  ) {}

  private get isManager(): boolean {
    return this.principal.permissions.has('estate:manage');
  }

  private get seesEverybody(): boolean {
    return this.isManager || this.visibility.individuals === 'all';
  }

  /** A row without an owner may belong to anyone. */
  sees({ ownerEmail, groupId }: OwnedRow): boolean {
    if (this.seesEverybody || !ownerEmail) return this.seesEverybody;
    return groupId !== null && this.visibility.individuals.includes(groupId);
  }

  ownerOf(row: OwnedRow): EstateOwner | null {
    const { ownerEmail, personId, personName, pseudonym, pseudonymId } = row;
    if (!ownerEmail || !this.sees(row)) return null;
    if (this.isManager || !this.visibility.pseudonyms)
      return { personId, name: personName ?? ownerEmail, email: ownerEmail };
    return { personId: pseudonymId, name: pseudonym ?? 'Not matched', email: null };
  }

  pathOf(path: string, row: OwnedRow): string {
    return this.showsName(row) ? path : maskHomeFolders(path);
  }

  /** Masks other values of the row, because texts of files often contain paths. */
  mask<T>(value: T, row: OwnedRow): T {
    return this.showsName(row) ? value : maskHomeFoldersIn(value);
  }

  deviceName(name: string, row: OwnedRow & { id: string; kind: string }): string {
    return row.kind !== 'device' || this.showsName(row) ? name : `Device ${row.id.slice(0, 8)}`;
  }

  private showsName(row: OwnedRow): boolean {
    return this.isManager || (this.sees(row) && !this.visibility.pseudonyms);
  }
}
