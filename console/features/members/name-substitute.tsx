import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';

const possibleSubstitutesQuery = graphql(`
  query PossibleSubstitutes($memberId: ID, $search: String!) {
    possibleSubstitutes(memberId: $memberId, search: $search) {
      id
      name
    }
  }
`);
const nameSubstitute = graphql(`
  mutation NameSubstitute($input: NameSubstituteInput!) {
    nameSubstitute(input: $input) {
      id
    }
  }
`);

interface Props {
  opened: boolean;
  /** Null: the person themselves. */
  memberId: string | null;
  onClose(): void;
  onDone(): void;
}

export const NameSubstitute = ({ opened, ...props }: Props) => (
  <Modal opened={opened} onClose={props.onClose} title="Name substitute">
    {opened && <SubstituteForm {...props} />}
  </Modal>
);

function SubstituteForm({ memberId, onDone }: Omit<Props, 'opened'>) {
  const today = toDay(new Date());
  const [substituteId, setSubstitute] = useState<string | null>(null);
  const [firstDay, setFirstDay] = useState(today);
  const [lastDay, setLastDay] = useState('');
  const [search, setSearch] = useState('');
  const [debounced] = useDebouncedValue(search, 200);
  const [{ data, error }] = useQuery({ query: possibleSubstitutesQuery, variables: { memberId, search: debounced } });
  const { send, problem, isSending } = useChange(nameSubstitute, { done: 'Substitute named.', onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [startsAt, endsAt] = [midnight(firstDay, 0).toISOString(), midnight(lastDay, 1).toISOString()];
    if (substituteId) void send({ input: { memberId, substituteId, startsAt, endsAt } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !faultOf(problem, 'endsAt') && <ProblemNote problem={problem} />}
        <Select
          label="Substitute"
          required
          searchable
          searchValue={search}
          onSearchChange={setSearch}
          // the server has searched
          filter={({ options }) => options}
          description="Type at least 3 characters of the name."
          error={error && 'Only approvers and administrators can search for substitutes.'}
          nothingFoundMessage="No members found"
          data={(data?.possibleSubstitutes ?? []).map(({ id, name }) => ({ value: id, label: visible(name ?? '') }))}
          value={substituteId}
          onChange={setSubstitute}
        />
        <TextInput
          type="date"
          label="First day"
          required
          min={today}
          value={firstDay}
          onChange={({ currentTarget: { value } }) => setFirstDay(value)}
        />
        <TextInput
          type="date"
          label="Last day"
          required
          min={firstDay}
          value={lastDay}
          error={faultOf(problem, 'endsAt')}
          onChange={({ currentTarget: { value } }) => setLastDay(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!substituteId}>
            Name substitute
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const pad = (number: number) => String(number).padStart(2, '0');
/** In the time zone of the browser. */
const toDay = (at: Date) => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;

/** The start of the day, or of one some days later, in the time zone of the browser. */
function midnight(day: string, daysLater: number): Date {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater);
}
