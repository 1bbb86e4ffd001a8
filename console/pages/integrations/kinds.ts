import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';

const query = graphql(`
  query ConnectionKinds {
    connectionKinds {
      id
      title
      about
      setUp
      offers
      pullCadence
      fields {
        name
        label
        type
        required
        help
        options
        isTarget
      }
    }
  }
`);

export type Kind = ResultOf<typeof query>['connectionKinds'][number];
export type Field = Kind['fields'][number];
export type Offer = Kind['offers'][number];

/** The catalogue. It is the same as long as the server runs. */
export const useKinds = () => useQuery({ query, requestPolicy: 'cache-first' });

export const offerNames: Record<Offer, string> = {
  tools: 'Tools',
  knowledge: 'Knowledge',
  model: 'Language model',
  spend: 'Spend',
  estate: 'AI estate',
};

/** What stands under one heading in the catalogue: the first that a kind offers decides. */
const groups: readonly { offer: Offer; title: string; about: string }[] = [
  { offer: 'spend', title: 'What AI costs and runs', about: 'Usage, costs and configuration of AI clients.' },
  { offer: 'tools', title: 'Tools', about: 'Systems in which agents read and do something, as far as policies allow.' },
  { offer: 'knowledge', title: 'Knowledge', about: 'Documents that answers are found in, with their sources.' },
  { offer: 'model', title: 'Language models', about: 'What agents think with.' },
];

export interface GroupedKinds {
  title: string;
  about: string;
  kinds: Kind[];
}

export function groupedKinds(kinds: readonly Kind[]): GroupedKinds[] {
  const groupOf = ({ offers }: Kind) => groups.find(({ offer }) => offer === offers[0]) ?? groups[0];
  return groups
    .map((group) => ({ ...group, kinds: kinds.filter((kind) => groupOf(kind) === group) }))
    .filter(({ kinds }) => kinds.length);
}

/** What it is, in a sentence; the rest is told where it is set up. */
export const aboutOf = ({ about, setUp }: Kind): string => about ?? setUp.split(/(?<=\.)\s/, 1)[0];
