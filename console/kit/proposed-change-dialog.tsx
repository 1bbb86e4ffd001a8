import { Anchor, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../api/graphql.ts';
import { ProblemNote } from './problem-note.tsx';
import { dismissProposedChange, useAnnouncedChange } from './proposed-change.ts';
import { useChange } from './use-change.tsx';

const explainChange = graphql(`
  mutation ExplainProposedChange($input: ProposedChangeReasonInput!) {
    explainProposedChange(input: $input) {
      id
      reason
    }
  }
`);

/** A mutation that needs a second administrator changed nothing: says so, and asks for the reason. */
export function ProposedChangeDialog() {
  const id = useAnnouncedChange();
  return (
    <Modal opened={id !== undefined} onClose={dismissProposedChange} title="Change proposed">
      {id && <ReasonForm id={id} />}
    </Modal>
  );
}

function ReasonForm({ id }: { id: string }) {
  const [reason, setReason] = useState('');
  const { send, problem, isSending } = useChange(explainChange, {
    done: 'Reason saved.',
    onDone: dismissProposedChange,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { id, reason } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Text size="sm">
          Nothing has changed yet. Your organization requires a second administrator for this change. The other
          administrators have been notified.
        </Text>
        <Textarea
          label="Reason"
          description="The second administrator reads it before they decide."
          autosize
          minRows={2}
          maxLength={1000}
          data-autofocus
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Group justify="space-between">
          <Anchor
            component={Link}
            to={`/organization/proposed-changes/${id}`}
            size="sm"
            onClick={dismissProposedChange}
          >
            View proposed change
          </Anchor>
          <Group gap="sm">
            <Button variant="default" onClick={dismissProposedChange}>
              Skip
            </Button>
            <Button type="submit" loading={isSending} disabled={!reason.trim()}>
              Save reason
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
