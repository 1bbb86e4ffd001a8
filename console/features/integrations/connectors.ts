import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';

const query = graphql(`
  query Connectors {
    connectors {
      id
      title
      about
      setUp
      offers
      pullCadence
      webhook {
        setUp
        secretField
      }
      fields {
        name
        label
        type
        required
        help
        options
        optionLabels
        isTarget
      }
    }
  }
`);

export type Connector = ResultOf<typeof query>['connectors'][number];
export type ConnectorField = Connector['fields'][number];
export type Offer = Connector['offers'][number];

/** The available connectors. They change only with a server restart. */
export const useConnectors = () => useQuery({ query, requestPolicy: 'cache-first' });

/** How people read an option of a choice. */
export const optionLabel = ({ options, optionLabels }: ConnectorField, option: string): string =>
  optionLabels?.[options?.indexOf(option) ?? -1] ?? option;

export const offerNames: Record<Offer, string> = {
  tools: 'Tools',
  knowledge: 'Knowledge',
  model: 'Language model',
  embeddings: 'Search by meaning',
  spend: 'Spend',
  estate: 'AI estate',
};

/** The groups of the connector list. The first offer of a connector decides its group. */
const groups: readonly { offer: Offer; title: string; about: string }[] = [
  { offer: 'spend', title: 'AI usage and spend', about: 'Usage, costs, and configuration of AI clients.' },
  { offer: 'tools', title: 'Tools', about: 'Systems that agents can read and change, under your policies.' },
  { offer: 'knowledge', title: 'Knowledge', about: 'Documents that agents search and cite.' },
  { offer: 'model', title: 'Language models', about: 'Models that run your agents.' },
  {
    offer: 'embeddings',
    title: 'Search by meaning',
    about: 'Models that find documents with other words but the same meaning.',
  },
];

export interface ConnectorGroup {
  title: string;
  about: string;
  connectors: Connector[];
}

export function groupConnectors(connectors: readonly Connector[]): ConnectorGroup[] {
  const groupOf = ({ offers }: Connector) => groups.find(({ offer }) => offer === offers[0]) ?? groups[0];
  return groups
    .map((group) => ({ ...group, connectors: connectors.filter((connector) => groupOf(connector) === group) }))
    .filter(({ connectors }) => connectors.length);
}

/** One sentence about the connector. The setup page shows the rest. */
export const descriptionOf = ({ about, setUp }: Connector): string => about ?? setUp.split(/(?<=\.)\s/, 1)[0];

const unitNames: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** "15m" is "15 minutes", "1h" is "hour". */
export function cadenceName(cadence: string): string {
  const count = Number.parseInt(cadence, 10);
  const unit = unitNames[cadence.slice(-1)];
  return count === 1 ? unit : `${count} ${unit}s`;
}
