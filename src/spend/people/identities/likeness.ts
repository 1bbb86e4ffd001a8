import type { LikenessReason } from './identity.entity.js';
import { handleOf, handlesOf, localPart, nameWords } from '../words.js';

export interface Named {
  email: string | null;
  name: string | null;
}
export interface Likeness {
  reason: LikenessReason;
  score: number;
}

/** Shorter ones are too many people's. */
const tellingHandle = 5;
const similarEnough = 0.75;

/** Why, and how much, somebody whom a vendor names looks like a person. Null: not at all. */
export function likeness(identity: Named, person: Named): Likeness | null {
  const byAddress = plusTag(identity, person) ?? sameMailbox(identity, person) ?? nameInMailbox(identity, person);
  const byName = likeNames(identity, person);
  if (!byAddress || !byName) return byAddress ?? byName;
  const better = byName.score > byAddress.score ? byName : byAddress;
  return { ...better, score: Math.min(0.99, better.score + 0.05) };
}

function plusTag(identity: Named, person: Named): Likeness | null {
  if (!identity.email || !person.email) return null;
  return untagged(identity.email) === untagged(person.email) ? { reason: 'plus_tag', score: 0.95 } : null;
}

function sameMailbox(identity: Named, person: Named): Likeness | null {
  if (!identity.email || !person.email) return null;
  const handle = handleOf(identity.email);
  if (!handle || handle !== handleOf(person.email)) return null;
  return { reason: 'same_mailbox', score: handle.length >= tellingHandle ? 0.85 : 0.5 };
}

function nameInMailbox(identity: Named, person: Named): Likeness | null {
  if (!identity.email || !person.name || nameWords(person.name).length < 2) return null;
  const place = handlesOf(person.name).indexOf(handleOf(identity.email));
  // the first two are whole names, the others have one of the two as an initial
  return place < 0 ? null : { reason: 'name_in_mailbox', score: place < 2 ? 0.8 : 0.6 };
}

function likeNames(identity: Named, person: Named): Likeness | null {
  const [words, others] = [nameWords(identity.name ?? ''), nameWords(person.name ?? '')];
  const [a, b] = [words.join(' '), others.join(' ')];
  if (a && a === b) return { reason: 'same_name', score: words.length > 1 ? 0.8 : 0.4 };
  const likely = sharedPairs(a, b);
  return likely >= similarEnough ? { reason: 'similar_name', score: 0.7 * likely } : null;
}

const untagged = (email: string) => localPart(email) + email.slice(email.lastIndexOf('@'));

/** Dice's coefficient: how many of their pairs of letters two texts share, from 0 to 1. */
function sharedPairs(a: string, b: string): number {
  const [ofA, ofB] = [pairs(a), pairs(b)];
  if (!ofA.length || !ofB.length) return 0;
  const left = [...ofB];
  const shared = ofA.filter((pair) => {
    const at = left.indexOf(pair);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return (2 * shared.length) / (ofA.length + ofB.length);
}

const pairs = (text: string) => Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
