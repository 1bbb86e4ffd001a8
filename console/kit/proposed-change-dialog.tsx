import { Anchor, Modal, Text } from '@mantine/core';
import { Link } from 'react-router';
import { graphql } from '../api/graphql.ts';
import { dismissProposedChange, useAnnouncedChange } from './proposed-change.ts';
import { ReasonForm } from './reason-form.tsx';
import { useChange } from './use-change.tsx';

const explainChange = graphql(`
  mutation ExplainProposedChange($input: ProposedChangeReasonInput!) {
    explainProposedChange(input: $input) {
      id
      reason
    }
  }
`);

/** A mutation that needs a second administrator changed nothing: shows that, and requests the reason. */
export function ProposedChangeDialog() {
  const id = useAnnouncedChange();
  return (
    <Modal opened={id !== undefined} onClose={dismissProposedChange} title="Change proposed">
      {id && <ExplanationForm id={id} />}
    </Modal>
  );
}

function ExplanationForm({ id }: { id: string }) {
  const { send, problem, isSending } = useChange(explainChange, {
    done: 'Reason saved.',
    onDone: dismissProposedChange,
  });
  return (
    <ReasonForm
      description="The second administrator reads it before they decide."
      action="Save reason"
      cancelLabel="Skip"
      onCancel={dismissProposedChange}
      problem={problem}
      isSending={isSending}
      onSubmit={(reason) => void send({ input: { id, reason } })}
      aside={
        <Anchor component={Link} to={`/organization/proposed-changes/${id}`} size="sm" onClick={dismissProposedChange}>
          View proposed change
        </Anchor>
      }
    >
      <Text size="sm">
        Nothing has changed yet. Your organization requires a second administrator for this change. The other
        administrators have been notified.
      </Text>
    </ReasonForm>
  );
}
