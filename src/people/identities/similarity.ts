import type { SimilarityReason } from './identity.entity.js';
import { mailboxHandle, possibleHandles, localPart, nameWords } from '../name-words.js';

export interface NameAndEmail {
  email: string | null;
  name: string | null;
}
export interface Similarity {
  reason: SimilarityReason;
  score: number;
}

/** Shorter handles are shared by too many people. */
const minDistinctiveHandle = 5;
const minNameSimilarity = 0.75;

/** Why and how much a vendor identity resembles a person. Null: not at all. */
export function similarityOf(identity: NameAndEmail, person: NameAndEmail): Similarity | null {
  const byAddress = samePlusTag(identity, person) ?? sameMailbox(identity, person) ?? nameInMailbox(identity, person);
  const byName = similarNames(identity, person);
  if (!byAddress || !byName) return byAddress ?? byName;
  const better = byName.score > byAddress.score ? byName : byAddress;
  return { ...better, score: Math.min(0.99, better.score + 0.05) };
}

function samePlusTag(identity: NameAndEmail, person: NameAndEmail): Similarity | null {
  if (!identity.email || !person.email) return null;
  return withoutPlusTag(identity.email) === withoutPlusTag(person.email) ? { reason: 'plus_tag', score: 0.95 } : null;
}

function sameMailbox(identity: NameAndEmail, person: NameAndEmail): Similarity | null {
  if (!identity.email || !person.email) return null;
  const handle = mailboxHandle(identity.email);
  if (!handle || handle !== mailboxHandle(person.email)) return null;
  return { reason: 'same_mailbox', score: handle.length >= minDistinctiveHandle ? 0.85 : 0.5 };
}

function nameInMailbox(identity: NameAndEmail, person: NameAndEmail): Similarity | null {
  if (!identity.email || !person.name || nameWords(person.name).length < 2) return null;
  const place = possibleHandles(person.name).indexOf(mailboxHandle(identity.email));
  // the first two are whole names, the others have one of the two as an initial
  return place < 0 ? null : { reason: 'name_in_mailbox', score: place < 2 ? 0.8 : 0.6 };
}

function similarNames(identity: NameAndEmail, person: NameAndEmail): Similarity | null {
  const [words, others] = [nameWords(identity.name ?? ''), nameWords(person.name ?? '')];
  const [a, b] = [words.join(' '), others.join(' ')];
  if (a && a === b) return { reason: 'same_name', score: words.length > 1 ? 0.8 : 0.4 };
  const likely = diceCoefficient(a, b);
  return likely >= minNameSimilarity ? { reason: 'similar_name', score: 0.7 * likely } : null;
}

const withoutPlusTag = (email: string) => localPart(email) + email.slice(email.lastIndexOf('@'));

/** Sørensen–Dice coefficient: the share of common letter pairs of two strings, from 0 to 1. */
function diceCoefficient(a: string, b: string): number {
  const [ofA, ofB] = [bigrams(a), bigrams(b)];
  if (!ofA.length || !ofB.length) return 0;
  const left = [...ofB];
  const shared = ofA.filter((pair) => {
    const at = left.indexOf(pair);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return (2 * shared.length) / (ofA.length + ofB.length);
}

const bigrams = (text: string) =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
