import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';

const configurationsQuery = graphql(`
  query ConfigurationsToDelegateTo {
    configurations(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

/** Selects the configuration that delegated tasks go to. */
export function ConfigurationSelect(props: Omit<SelectProps, 'data'>) {
  const [{ data }] = useQuery({ query: configurationsQuery });
  const choices = data?.configurations.nodes.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <Select
      {...props}
      data={choices}
      searchable
      nothingFoundMessage="No matching configurations"
      placeholder={data && !choices.length ? 'No configurations yet' : 'Select'}
    />
  );
}
