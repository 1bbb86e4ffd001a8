import { Field, ID, ObjectType } from '@nestjs/graphql';
import type { Principal } from '../../principal/principal.js';
import type { Seen } from '../../spend/people/sight.service.js';

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
export class OwnersSeen {
  constructor(
    private readonly principal: Principal,
    private readonly seen: Seen,
  ) {}

  private get isManager(): boolean {
    return this.principal.permissions.has('estate:manage');
  }

  sees({ ownerEmail, groupId }: OwnedRow): boolean {
    if (this.isManager || !ownerEmail) return true;
    const { individuals } = this.seen;
    if (individuals === 'all' || individuals === 'none') return individuals === 'all';
    return groupId !== null && individuals.includes(groupId);
  }

  ownerOf(row: OwnedRow): EstateOwner | null {
    const { ownerEmail, personId, personName, pseudonym } = row;
    if (!ownerEmail || !this.sees(row)) return null;
    if (this.isManager || !this.seen.pseudonyms) return { personId, name: personName ?? ownerEmail, email: ownerEmail };
    return { personId, name: pseudonym ?? 'Not matched', email: null };
  }

  /** Folders of people are named after them. */
  path(path: string, row: OwnedRow): string {
    if (this.isManager || (this.sees(row) && !this.seen.pseudonyms)) return path;
    return path.replace(/(^|\/)(home|Users)\/[^/]+/gi, '$1$2/•');
  }

  device(name: string, row: OwnedRow & { id: string; kind: string }): string {
    if (row.kind !== 'device' || this.isManager || (this.sees(row) && !this.seen.pseudonyms)) return name;
    return `Device ${row.id.slice(0, 8)}`;
  }
}
