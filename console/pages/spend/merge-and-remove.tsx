import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Person } from './person-query.ts';
import { PersonSelect } from './person-select.tsx';

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

/** Merging, which cannot be undone, and removal. */
export function MergeAndRemove({ person }: { person: Person }) {
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
