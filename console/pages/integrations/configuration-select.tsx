import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';

const configurationsQuery = graphql(`
  query ConfigurationsToHandOnTo {
    configurations(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

/** Who is to do the work that is handed on. */
export function ConfigurationSelect(props: Omit<SelectProps, 'data'>) {
  const [{ data }] = useQuery({ query: configurationsQuery });
  const choices = data?.configurations.nodes.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  return (
    <Select
      {...props}
      data={choices}
      searchable
      nothingFoundMessage="No such configuration"
      placeholder={data && !choices.length ? 'There is none yet' : 'Choose'}
    />
  );
}
