import { Alert, Button, Text } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { hasSecondPerson, ReviewerAdvice, reviewerStatusQuery } from '../../../features/approvals/reviewers.tsx';

const confirmation = '@approval("confirm")';
const review = '@approval("review")';

interface Props {
  configurationId: string;
  text: string;
  /** Without it, the text can only be read. */
  onChange?(text: string): void;
}

/** Suggests a review once a second person has joined, and says why a review is not possible yet. */
export function ReviewNotice({ configurationId, text, onChange }: Props) {
  const [{ data }, refetch] = useQuery({ query: reviewerStatusQuery });
  useChangeEvents(['organization', 'policy'], () => refetch({ requestPolicy: 'network-only' }));
  if (!data || !onChange) return null;
  const { reviewerStatus: status, configurationsWithoutReview } = data;
  if (configurationsWithoutReview.includes(configurationId) && text.includes(confirmation))
    return (
      hasSecondPerson(status) && (
        <Alert variant="light" icon={<IconUserCheck aria-hidden />} title="Require a second person?" mb="md">
          <Text size="sm" mb="sm">
            Another administrator has joined since this policy was created for one person. With a review, nobody
            approves a write call that they requested. <ReviewerAdvice status={status} />
          </Text>
          <Button variant="default" onClick={() => onChange(text.replaceAll(confirmation, review))}>
            Require review
          </Button>
        </Alert>
      )
    );
  return (
    status !== 'available' &&
    text.includes(review) && (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconUserCheck aria-hidden />}
        title="Nobody can review your agents’ calls yet"
        mb="md"
      >
        <Text size="sm">
          <ReviewerAdvice status={status} />
        </Text>
      </Alert>
    )
  );
}
