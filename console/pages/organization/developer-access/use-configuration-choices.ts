import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { visible } from '../../../kit/visible.ts';

const query = graphql(`
  query ConfigurationChoices {
    configurations(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

export function useConfigurationChoices(): { value: string; label: string }[] {
  const [{ data }] = useQuery({ query });
  return data?.configurations.nodes.map(({ id, name }) => ({ value: id, label: visible(name) })) ?? [];
}
