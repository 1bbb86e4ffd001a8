import { Badge, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { UnitSelect } from './unit-select.tsx';
import { type Unit, useUnits } from './use-units.ts';

const peopleQuery = graphql(`
  query SpendDirectory($search: String, $isRemoved: Boolean!, $first: Int!, $after: String) {
    spendPeople(search: $search, isRemoved: $isRemoved, first: $first, after: $after) {
      nodes {
        id
        name
        email
        memberId
        isServiceAccount
        groupId
        costCentreId
        aliases
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const createPerson = graphql(`
  mutation CreateSpendPerson($input: CreateSpendPersonInput!) {
    createSpendPerson(input: $input) {
      id
    }
  }
`);
type Person = ResultOf<typeof peopleQuery>['spendPeople']['nodes'][number];

/** The people that usage can be attributed to, with group and cost centre. */
export function Component() {
  const [search] = useFilter('search');
  const [gone] = useFilter('gone');
  const { units } = useUnits();
  const [isAdding, setAdding] = useState(false);
  const pages = usePages({
    query: peopleQuery,
    variables: { search, isRemoved: gone === 'gone' },
    pick: ({ spendPeople }) => spendPeople,
    news: 'spend',
  });
  return (
    <>
      <Group mb="md" gap="xs">
        <SearchFilter name="search" label="Search by name or email" />
        <ChoiceFilter name="gone" label="Current people" data={[{ value: 'gone', label: 'Removed people' }]} />
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          Add person
        </Button>
      </Group>
      <Rows
        label="People"
        pages={pages}
        keyOf={({ id }) => id}
        to={({ id }) => `/spend/directory/${id}`}
        columns={columnsWith(units ?? [])}
        empty={
          <Empty icon={IconUsers} title={search || gone ? 'No matching people' : 'No people yet'}>
            Members are added automatically. Add other people here or import a list.
          </Empty>
        }
      />
      {isAdding && <AddPerson onClose={() => setAdding(false)} />}
    </>
  );
}

function columnsWith(units: readonly Unit[]): readonly Column<Person>[] {
  const nameOf = (id: string | null) => units.find((unit) => unit.id === id)?.name;
  return [
    {
      label: 'Name',
      width: '34%',
      cell: ({ name, memberId, isServiceAccount }) => (
        <Group gap={6} component="span">
          <Untrusted text={name} />
          {memberId && <Badge color="gray">Member</Badge>}
          {isServiceAccount && <Badge color="blue">Service account</Badge>}
        </Group>
      ),
    },
    { label: 'Email', cell: ({ email, aliases }) => <Address email={email} others={aliases.length} /> },
    { label: 'Group', cell: ({ groupId }) => <Untrusted text={nameOf(groupId) ?? '–'} /> },
    { label: 'Cost centre', cell: ({ costCentreId }) => <Untrusted text={nameOf(costCentreId) ?? '–'} /> },
  ];
}

const Address = ({ email, others }: { email: string | null; others: number }) => (
  <>
    <Untrusted text={email ?? '–'} />
    {others > 0 && (
      <Text span size="xs" c="dimmed">
        {' '}
        and {others} more
      </Text>
    )}
  </>
);

function AddPerson({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { name: '', email: '', isServiceAccount: false, groupId: '', costCentreId: '' },
    validate: {
      name: (name) => (name.trim() ? null : 'Enter a name.'),
      email: (email, { isServiceAccount }) =>
        email.trim() || isServiceAccount ? null : 'Enter an email address. Only service accounts can have none.',
    },
  });
  const { send, problem, isSending } = useChange(createPerson, {
    done: 'Person added.',
    onDone: ({ createSpendPerson: { id } }) => void navigate(`/spend/directory/${id}`),
  });
  return (
    <Modal opened onClose={onClose} title="Add person">
      <form
        noValidate
        onSubmit={form.onSubmit(({ name, email, isServiceAccount, groupId, costCentreId }) =>
          send({
            input: {
              name: name.trim(),
              email: email.trim() || null,
              isServiceAccount,
              groupId: groupId || null,
              costCentreId: costCentreId || null,
            },
          }),
        )}
      >
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <TextInput
            label="Name"
            required
            data-autofocus
            {...form.getInputProps('name')}
            error={form.errors.name ?? faultOf(problem, 'name')}
          />
          <TextInput
            label="Email"
            description="Past and future usage with this address is attributed to this person."
            type="email"
            {...form.getInputProps('email')}
            error={form.errors.email ?? faultOf(problem, 'email')}
          />
          <Checkbox
            label="Service account (not a person)"
            {...form.getInputProps('isServiceAccount', { type: 'checkbox' })}
          />
          <UnitSelect kind="group" {...form.getInputProps('groupId')} />
          <UnitSelect kind="cost_centre" {...form.getInputProps('costCentreId')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSending}>
              Add person
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
