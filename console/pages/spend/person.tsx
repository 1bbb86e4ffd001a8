import { Alert, Button, Group, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { MergeAndRemove } from './merge-and-remove.tsx';
import { type Person, personQuery } from './person-query.ts';
import { PersonAliases } from './person-aliases.tsx';
import { PersonForm } from './person-form.tsx';

const restorePerson = graphql(`
  mutation RestoreSpendPerson($input: SpendPersonInput!) {
    restoreSpendPerson(input: $input) {
      id
      removedAt
    }
  }
`);

export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: personQuery, variables: { id: id! } });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
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
          <PersonAliases person={person} />
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
