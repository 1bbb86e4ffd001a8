import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { type MatchCandidate, type IdentityRow, findPeopleByWords } from './identities.sql.js';
import type { SpendSuggestion } from './identity.entity.js';
import { similarityOf } from './similarity.js';
import { searchWordsOf } from '../name-words.js';

const maxSuggestions = 3;

/** Suggests people for an identity. An administrator decides, because different people can share a name. */
@Injectable()
export class MatchSuggestionsService {
  async suggest(
    tx: Tx,
    { tenantId }: Principal,
    identities: readonly IdentityRow[],
  ): Promise<Map<number, SpendSuggestion[]>> {
    const words = identities.flatMap((identity) =>
      searchWordsOf(nameAndEmailOf(identity)).map((word) => ({ id: identity.id, word })),
    );
    const candidates = await tx.run(findPeopleByWords, [
      tenantId,
      words.map(({ id }) => id),
      words.map(({ word }) => word),
    ]);
    const byIdentity = Map.groupBy(candidates, ({ identityId }) => identityId);
    return new Map(
      identities.map((identity) => [identity.id, bestMatches(identity, byIdentity.get(identity.id) ?? [])]),
    );
  }
}

function bestMatches(identity: IdentityRow, candidates: readonly MatchCandidate[]): SpendSuggestion[] {
  return candidates
    .flatMap((person) => {
      const likely = similarityOf(nameAndEmailOf(identity), person);
      return likely ? [{ person, ...likely }] : [];
    })
    .sort((a, b) => b.score - a.score || a.person.name.localeCompare(b.person.name))
    .slice(0, maxSuggestions);
}

/** Compares a login like the local part of an email address. */
const nameAndEmailOf = ({ kind, key, email, name }: IdentityRow) => ({
  name,
  email: kind === 'email' ? key : (email ?? (kind === 'login' ? `${key}@` : null)),
});
