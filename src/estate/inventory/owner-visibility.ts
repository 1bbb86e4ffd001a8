import { Field, ID, ObjectType } from '@nestjs/graphql';
import type { Principal } from '../../principal/principal.js';
import type { PeopleVisibility } from '../../spend/people/people-visibility.service.js';
import { maskHomeFolders, maskHomeFoldersIn } from './home-folders.js';

@ObjectType({ description: 'Whose a file or a device is.' })
export class EstateOwner {
  @Field(() => ID, { nullable: true, description: 'Of a person that the organization knows ("spendPeople").' })
  personId: string | null;

  @Field({
    description: 'The name, or the pseudonym where the organization wants that; the address of somebody unknown.',
  })
  name: string;

  @Field(() => String, { nullable: true, description: 'As it was told; not where names are pseudonyms.' })
  email: string | null;
}

/** What the statements tell of whose something is. */
export interface OwnedRow {
  ownerEmail: string | null;
  personId: string | null;
  personName: string | null;
  pseudonym: string | null;
  groupId: string | null;
}

/** Whoever manages the estate has to know whose laptop it is; analysts see whom they see in reports. */
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

  /** What nobody's name stands beside may be anybody's. */
  sees({ ownerEmail, groupId }: OwnedRow): boolean {
    if (this.seesEverybody || !ownerEmail) return this.seesEverybody;
    return groupId !== null && this.visibility.individuals.includes(groupId);
  }

  ownerOf(row: OwnedRow): EstateOwner | null {
    const { ownerEmail, personId, personName, pseudonym } = row;
    if (!ownerEmail || !this.sees(row)) return null;
    if (this.isManager || !this.visibility.pseudonyms)
      return { personId, name: personName ?? ownerEmail, email: ownerEmail };
    return {
      personId: personId && this.visibility.ids.maskPersonId(personId),
      name: pseudonym ?? 'Not matched',
      email: null,
    };
  }

  pathOf(path: string, row: OwnedRow): string {
    return this.showsName(row) ? path : maskHomeFolders(path);
  }

  /** What else of theirs is told: texts of files are full of paths. */
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
