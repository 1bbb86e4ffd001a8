import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { Call } from './task-query.ts';

const settleCall = graphql(`
  mutation SettleToolCall($input: SettleCallInput!) {
    settleToolCall(input: $input) {
      id
      state
      settlement
    }
  }
`);

const choices = [
  ['happened', 'It happened', 'It counts as done: whoever asks for the same again is told so.'],
  ['did_not_happen', 'It did not happen', 'It counts as failed, and may be asked for again.'],
  [
    'run_again',
    'Run it again',
    'Policies are evaluated again and may require a new approval. May create a duplicate if the first attempt succeeded.',
  ],
] as const;
type Settlement = (typeof choices)[number][0];

/** What a person found out about a call whose outcome nobody knows. */
export function Settle({ call, opened, onClose }: { call: Call; opened: boolean; onClose(): void }) {
  const [chosen, choose] = useState<Settlement | null>(null);
  const { send, problem, isSending } = useChange(settleCall, { done: 'Settled.' });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen && (await send({ input: { id: call.id, settlement: chosen } }))) onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="What did you find?">
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <Text size="sm">
            <Untrusted text={call.tool} /> was sent, and no answer came back. What you say is recorded in your name.
          </Text>
          <Radio.Group
            aria-label="What became of it"
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
              Not yet
            </Button>
            <Button type="submit" disabled={!chosen} loading={isSending}>
              Settle
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
