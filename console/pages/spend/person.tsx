import { ActionIcon, Alert, Button, Group, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconArrowLeft, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { ChangedMeanwhile, useSeen } from '../../kit/use-seen.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { PersonSelect } from './person-select.tsx';
import { UnitSelect } from './unit-select.tsx';

const personFields = graphql(`
  fragment PersonFields on SpendPerson @_unmask {
    id
    name
    email
    memberId
    groupId
    costCentreId
    aliases
    removedAt
    version
  }
`);
const personQuery = graphql(
  `
    query SpendPerson($id: ID!) {
      spendPerson(id: $id) {
        ...PersonFields
      }
    }
  `,
  [personFields],
);
const updatePerson = graphql(
  `
    mutation UpdateSpendPerson($input: ChangeSpendPersonInput!) {
      changeSpendPerson(input: $input) {
        ...PersonFields
      }
    }
  `,
  [personFields],
);
const addAlias = graphql(`
  mutation AddSpendAlias($input: SpendAliasInput!) {
    addSpendAlias(input: $input) {
      id
      aliases
    }
  }
`);
const removeAlias = graphql(`
  mutation RemoveSpendAlias($input: SpendAliasInput!) {
    removeSpendAlias(input: $input) {
      id
      aliases
    }
  }
`);
const mergePeople = graphql(`
  mutation MergeSpendPeople($input: MergeSpendPeopleInput!) {
    mergeSpendPeople(input: $input) {
      id
    }
  }
`);
const removePerson = graphql(`
  mutation RemoveSpendPerson($input: SpendPersonInput!) {
    removeSpendPerson(input: $input) {
      id
      removedAt
    }
  }
`);
const restorePerson = graphql(`
  mutation RestoreSpendPerson($input: SpendPersonInput!) {
    restoreSpendPerson(input: $input) {
      id
      removedAt
    }
  }
`);
type Person = ResultOf<typeof personFields>;

export function Component() {
  const { id } = useParams();
  const [asked, again] = useQuery({ query: personQuery, variables: { id: id! } });
  useNews('spend', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ spendPerson: person }) => (
        <>
          <Button
            component={Link}
            to="/spend/directory"
            variant="subtle"
            size="compact-sm"
            mb="xs"
            leftSection={<IconArrowLeft size={14} aria-hidden />}
          >
            All people
          </Button>
          <Title order={2} mb="md">
            <Untrusted text={person.name} />
          </Title>
          {person.removedAt && <RemovedPerson person={person} />}
          <PersonForm key={person.id} person={person} />
          <Aliases person={person} />
          <MergeAndRemove key={`merging ${person.id}`} person={person} />
        </>
      )}
    </Loaded>
  );
}

function RemovedPerson({ person: { id, memberId, removedAt } }: { person: Person }) {
  const { send, problem, isSending } = useChange(restorePerson, { done: 'Person restored.' });
  return (
    <Alert color="yellow" variant="light" mb="md" title="Removed person">
      {problem && <ProblemNote problem={problem} />}
      <Group>
        <Text size="sm">
          Removed <When at={removedAt} />. Past usage stays attributed to this person.
        </Text>
        {!memberId && (
          <Button
            size="compact-sm"
            variant="default"
            loading={isSending}
            onClick={() => void send({ input: { personId: id } })}
          >
            Restore person
          </Button>
        )}
      </Group>
    </Alert>
  );
}

const valuesOf = ({ name, email, groupId, costCentreId }: Person) => ({
  name,
  email: email ?? '',
  groupId,
  costCentreId,
});

function PersonForm({ person }: { person: Person }) {
  const { seen, see, isOutdated } = useSeen(person);
  const form = useForm({ initialValues: valuesOf(seen) });
  const restart = (now: Person) => {
    see(now);
    form.setInitialValues(valuesOf(now));
    form.setValues(valuesOf(now));
    form.resetDirty();
  };
  const { send, problem, isSending } = useChange(updatePerson, {
    done: 'Person saved.',
    onDone: ({ changeSpendPerson }) => restart(changeSpendPerson),
  });
  const isMember = seen.memberId !== null;
  const submit = ({ name, email, groupId, costCentreId }: ReturnType<typeof valuesOf>) =>
    send({
      input: {
        personId: seen.id,
        basedOn: seen.version,
        ...(!isMember && { name, email: email || null }),
        groupId,
        costCentreId,
      },
    });
  return (
    <Section title="Details" lead="If you change the group or cost centre, past usage moves too.">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack maw="28rem">
          {isOutdated && <ChangedMeanwhile onCatchUp={() => restart(person)} />}
          {problem && <ProblemNote problem={problem} />}
          <TextInput
            label="Name"
            description={isMember ? 'Members manage their name and email in their account.' : undefined}
            disabled={isMember}
            required={!isMember}
            {...form.getInputProps('name')}
            error={faultOf(problem, 'name')}
          />
          <TextInput
            label="Email"
            type="email"
            disabled={isMember}
            {...form.getInputProps('email')}
            error={faultOf(problem, 'email')}
          />
          <UnitSelect kind="group" {...form.getInputProps('groupId')} />
          <UnitSelect kind="cost_centre" {...form.getInputProps('costCentreId')} />
          <Group>
            <Button type="submit" loading={isSending} disabled={!form.isDirty()}>
              Save person
            </Button>
          </Group>
        </Stack>
      </form>
      <Unsaved isDirty={form.isDirty()} />
    </Section>
  );
}

function Aliases({ person: { id, aliases } }: { person: Person }) {
  const [typed, setTyped] = useState('');
  const add = useChange(addAlias, { done: 'Address added.', onDone: () => setTyped('') });
  const remove = useChange(removeAlias, { done: 'Address removed.' });
  const problem = add.problem ?? remove.problem;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void add.send({ input: { personId: id, email: typed.trim() } });
  };
  return (
    <Section title="Other addresses" lead="Past and future usage with these addresses is attributed to this person.">
      {problem && <ProblemNote problem={problem} />}
      {aliases.length > 0 && (
        <List size="sm" mb="md" listStyleType="none">
          {aliases.map((email) => (
            <List.Item key={email}>
              <Group gap={4}>
                <Untrusted text={email} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${visible(email)}`}
                  onClick={() => void remove.send({ input: { personId: id, email } })}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            </List.Item>
          ))}
        </List>
      )}
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Additional address"
            type="email"
            flex="0 1 22rem"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            error={faultOf(add.problem, 'email')}
          />
          <Button type="submit" variant="default" disabled={!typed.trim()} loading={add.isSending}>
            Add address
          </Button>
        </Group>
      </form>
    </Section>
  );
}

/** Merging, which cannot be undone, and removal. */
function MergeAndRemove({ person }: { person: Person }) {
  const navigate = useNavigate();
  const [into, setInto] = useState<{ id: string; name: string } | null>(null);
  const [dialog, setDialog] = useState<'merge' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const merge = useChange(mergePeople, {
    done: 'People merged.',
    onDone: ({ mergeSpendPeople: { id } }) => {
      close();
      void navigate(`/spend/directory/${id}`);
    },
  });
  const remove = useChange(removePerson, { done: 'Person removed.', onDone: close });
  return (
    <Section title="Merge or remove">
      <Group align="flex-end" gap="xs" mb="md">
        <div style={{ flex: '0 1 22rem' }}>
          <PersonSelect
            label="Merge into"
            without={person.id}
            value={into?.id ?? null}
            onChange={(id, name) => setInto(id ? { id, name } : null)}
          />
        </div>
        <Button variant="default" disabled={!into} onClick={() => setDialog('merge')}>
          Merge person
        </Button>
      </Group>
      {!person.memberId && !person.removedAt && (
        <Button variant="subtle" color="red" onClick={() => setDialog('remove')}>
          Remove person
        </Button>
      )}
      <Confirm
        opened={dialog === 'merge'}
        onClose={close}
        title={`Merge into ${into?.name}?`}
        verb="Merge person"
        name={visible(person.name)}
        problem={merge.problem}
        isSending={merge.isSending}
        onConfirm={() => into && void merge.send({ input: { fromId: person.id, intoId: into.id } })}
      >
        <Text size="sm">
          Addresses and usage of <Untrusted text={person.name} /> move to {into?.name}. You can’t undo this.
        </Text>
      </Confirm>
      <Confirm
        opened={dialog === 'remove'}
        onClose={close}
        title={`Remove ${visible(person.name)}?`}
        verb="Remove person"
        problem={remove.problem}
        isSending={remove.isSending}
        onConfirm={() => void remove.send({ input: { personId: person.id } })}
      >
        <Text size="sm">
          Past usage stays attributed to this person, but they can no longer be selected. You can restore them later.
        </Text>
      </Confirm>
    </Section>
  );
}
