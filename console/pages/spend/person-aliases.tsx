import { ActionIcon, Button, Group, List, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Person } from './person-query.ts';

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

export function PersonAliases({ person: { id, aliases } }: { person: Person }) {
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
