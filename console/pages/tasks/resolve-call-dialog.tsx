import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { Call } from './task-query.ts';

const settleCall = graphql(`
  mutation SettleToolCall($input: ResolveToolCallInput!) {
    resolveToolCall(input: $input) {
      id
      state
      settlement
    }
  }
`);

const choices = [
  ['happened', 'Mark as executed', 'The call counts as succeeded. Identical requests return this outcome.'],
  ['did_not_happen', 'Mark as not executed', 'The call counts as failed and can be requested again.'],
  [
    'run_again',
    'Run again',
    'Policies are evaluated again and may require a new approval. May create a duplicate if the first attempt succeeded.',
  ],
] as const;
type Settlement = (typeof choices)[number][0];

/** Records what a person found out about a call with an unknown outcome. */
export function ResolveCallDialog({ call, opened, onClose }: { call: Call; opened: boolean; onClose(): void }) {
  const [chosen, choose] = useState<Settlement | null>(null);
  const { send, problem, isSending } = useChange(settleCall, { done: 'Outcome recorded.' });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen && (await send({ input: { id: call.id, settlement: chosen } }))) onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Resolve call">
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <Text size="sm">
            <Untrusted text={call.tool} /> was sent, but no response arrived. Check the connected system, then choose
            what happened. Your choice is recorded.
          </Text>
          <Radio.Group
            aria-label="Outcome"
            value={chosen}
            onChange={(value) => choose(choices.find(([known]) => known === value)?.[0] ?? null)}
          >
            <Stack gap="sm">
              {choices.map(([value, label, description]) => (
                <Radio key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!chosen} loading={isSending}>
              Save outcome
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
