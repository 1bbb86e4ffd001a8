import { MultiSelect } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { listAbove } from '../../kit/list-above.ts';
import { visible } from '../../kit/visible.ts';

const query = graphql(`
  query GroupChoices {
    groups(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

export function useGroupChoices(): { value: string; label: string }[] {
  const [{ data }] = useQuery({ query });
  return data?.groups.nodes.map(({ id, name }) => ({ value: id, label: visible(name) })) ?? [];
}

interface Props {
  label: string;
  description: string;
  value: string[];
  onChange(groupIds: string[]): void;
  error?: string;
}

export const GroupPicker = ({ label, description, value, onChange, error }: Props) => (
  <MultiSelect
    label={label}
    description={description}
    placeholder={value.length ? undefined : 'None'}
    data={useGroupChoices()}
    value={value}
    onChange={onChange}
    error={error}
    searchable
    clearable
    clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    nothingFoundMessage="No matching groups"
    comboboxProps={listAbove}
  />
);
