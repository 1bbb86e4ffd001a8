import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';

const query = graphql(`
  query ConfigurationChoices {
    groups(first: 200) {
      nodes {
        id
        name
      }
    }
    connections(first: 200) {
      nodes {
        id
        name
        slug
        kind
      }
    }
    connectors {
      id
      offers
    }
  }
`);

export interface Choice {
  value: string;
  label: string;
}

const choice = ({ id, name }: { id: string; name: string }): Choice => ({ value: id, label: visible(name) });

/** The groups, integrations, and models that a configuration can use. */
export function useChoices(): { groups: Choice[]; integrations: Choice[]; models: Choice[] } {
  const [{ data }] = useQuery({ query });
  const connections = data?.connections.nodes ?? [];
  const offering = (matches: (offer: string) => boolean) =>
    connections.filter(({ kind }) => data?.connectors.find(({ id }) => id === kind)?.offers.some(matches)).map(choice);
  return {
    groups: data?.groups.nodes.map(choice) ?? [],
    integrations: offering((offer) => offer === 'tools' || offer === 'knowledge'),
    models: offering((offer) => offer === 'model'),
  };
}
