import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';

const dismissFindings = graphql(`
  mutation DismissEstateFindings($input: DismissEstateFindingsInput!) {
    dismissEstateFindings(input: $input) {
      id
      state
    }
  }
`);

/** Asks for the reason of a dismissal. */
export function DismissFinding({ id, onClose, refetch }: { id: string; onClose(): void; refetch(): void }) {
  const [reason, setReason] = useState('');
  const { send, problem, isSending } = useChange(dismissFindings, {
    done: 'Finding dismissed.',
    onDone: () => {
      onClose();
      refetch();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { findingIds: [id], reason: reason.trim() } });
  };
  return (
    <Modal opened onClose={onClose} title="Dismiss finding?">
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <Textarea
            label="Reason"
            description="The finding moves to “Dismissed”, with your name and reason. It reopens if it gets worse."
            required
            autosize
            minRows={3}
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
            error={faultOf(problem, 'reason')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!reason.trim()} loading={isSending}>
              Dismiss finding
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
