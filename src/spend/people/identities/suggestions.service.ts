import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../principal/principal.js';
import { type Candidate, type IdentityRow, peopleByWords } from './identities.sql.js';
import type { SpendSuggestion } from './identity.entity.js';
import { likeness } from './likeness.js';
import { wordsOf } from '../words.js';

const most = 3;

/** Who an identity may be. A person decides: two people of one name are not the same for it. */
@Injectable()
export class Suggestions {
  async of(
    tx: EntityManager,
    { tenantId }: Principal,
    identities: readonly IdentityRow[],
  ): Promise<Map<number, SpendSuggestion[]>> {
    const asked = identities.flatMap((identity) => wordsOf(named(identity)).map((word) => ({ id: identity.id, word })));
    const candidates = await tx.query<Candidate[]>(peopleByWords, [
      tenantId,
      asked.map(({ id }) => id),
      asked.map(({ word }) => word),
    ]);
    const byIdentity = Map.groupBy(candidates, ({ identityId }) => identityId);
    return new Map(identities.map((identity) => [identity.id, likeliest(identity, byIdentity.get(identity.id) ?? [])]));
  }
}

function likeliest(identity: IdentityRow, candidates: readonly Candidate[]): SpendSuggestion[] {
  return candidates
    .flatMap((person) => {
      const likely = likeness(named(identity), person);
      return likely ? [{ person, ...likely }] : [];
    })
    .sort((a, b) => b.score - a.score || a.person.name.localeCompare(b.person.name))
    .slice(0, most);
}

/** A login is called as a mailbox would be. */
const named = ({ kind, key, email, name }: IdentityRow) => ({
  name,
  email: kind === 'email' ? key : (email ?? (kind === 'login' ? `${key}@` : null)),
});
