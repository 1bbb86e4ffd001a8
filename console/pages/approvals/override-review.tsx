import { Alert, Stack, Text } from '@mantine/core';
import { IconUrgent } from '@tabler/icons-react';
import { graphql } from '../../api/graphql.ts';
import { ReasonForm } from '../../kit/reason-form.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import type { Approval } from './approval-query.ts';

const reviewOverride = graphql(`
  mutation ReviewOverride($input: ReviewOverrideInput!) {
    reviewOverride(input: $input) {
      id
      override {
        approvalId
        reviewedAt
      }
    }
  }
`);

interface Props {
  override: NonNullable<Approval['override']>;
  onDone(): void;
}

/** That an approval was overridden, why, and the review of it. */
export const OverrideReview = ({ override, onDone }: Props) => (
  <Alert color="red" variant="light" icon={<IconUrgent aria-hidden />} title="Overridden with break-glass rights">
    <Stack gap="xs">
      <Text size="sm">
        <Untrusted text={override.by.name ?? 'A former member'} /> overrode this approval <When at={override.at} />. No
        approver approved the call.
      </Text>
      <Text size="sm">
        Reason: <Untrusted text={override.reason} />
      </Text>
      {override.reviewedAt ? (
        <Text size="sm">
          Reviewed by <Untrusted text={override.reviewer?.name ?? 'a former member'} />{' '}
          <When at={override.reviewedAt} />: <Untrusted text={override.reviewNote ?? ''} />
        </Text>
      ) : override.reviewRefusal ? (
        <Text size="sm">The review is open. {override.reviewRefusal}</Text>
      ) : (
        <ReviewForm approvalId={override.approvalId} onDone={onDone} />
      )}
    </Stack>
  </Alert>
);

function ReviewForm({ approvalId, onDone }: { approvalId: string; onDone(): void }) {
  const { send, problem, isSending } = useChange(reviewOverride, { done: 'Review saved.', onDone });
  return (
    <ReasonForm
      label="Review"
      description="Was the override justified? What follows from it?"
      action="Close review"
      onCancel={null}
      problem={problem}
      isSending={isSending}
      onSubmit={(note) => void send({ input: { approvalId, note } })}
    />
  );
}
