import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { addGroupMember } from './membership.ts';

const query = graphql(`
  query MemberChoices($search: String) {
    members(search: $search, status: active, first: 20) {
      nodes {
        id
        name
        email
        groups {
          id
        }
      }
    }
  }
`);

/** Searches members by name or email address, and adds the selected one. */
export function AddMember({ groupId, onAdded }: { groupId: string; onAdded(): void }) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 200);
  const [{ data }] = useQuery({ query, variables: { search: search.trim() || null } });
  const add = useChange(addGroupMember, { done: 'Member added to group.', onDone: onAdded, isLoud: true });
  const others = data?.members.nodes.filter(({ groups }) => !groups.some(({ id }) => id === groupId)) ?? [];
  return (
    <Select
      label="Add member"
      placeholder="Name or email address"
      maw="26rem"
      mb="md"
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      value={null}
      data={others.map(({ id, name, email }) => ({ value: id, label: `${visible(name)}, ${visible(email)}` }))}
      nothingFoundMessage="No matching members"
      disabled={add.isSending}
      onChange={(memberId) => {
        if (!memberId) return;
        setTyped('');
        void add.send({ input: { groupId, memberId } });
      }}
    />
  );
}
