import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { problemOf } from '../../api/problem.ts';
import { visible } from '../../kit/visible.ts';

const query = graphql(`
  query SourceContainers($connectionId: ID!) {
    sourceContainers(connectionId: $connectionId) {
      id
      title
      note
    }
  }
`);

interface Props extends Omit<MultiSelectProps, 'data'> {
  connectionId: string;
  value: string[];
}

/** Selects containers that the credential can read now. Stored ids that are no longer listed stay selected. */
export function ContainerSelect({ connectionId, value, error, ...props }: Props) {
  const [{ data, error: failure, fetching }] = useQuery({ query, variables: { connectionId } });
  const listed = (data?.sourceContainers ?? []).map(({ id, title, note }) => ({
    value: id,
    label: visible(note ? `${title} (${note})` : title),
  }));
  const unlisted = value
    .filter((id) => !listed.some((choice) => choice.value === id))
    .map((id) => ({ value: id, label: data ? `${visible(id)} (no longer listed)` : visible(id) }));
  return (
    <MultiSelect
      {...props}
      value={value}
      data={[...listed, ...unlisted]}
      error={error ?? (failure && problemOf(failure).message)}
      searchable
      clearable
      hidePickedOptions
      limit={200}
      nothingFoundMessage={fetching ? 'Loading…' : 'No matches'}
      placeholder={value.length ? undefined : 'Everything'}
    />
  );
}
