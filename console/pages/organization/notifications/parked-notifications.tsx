import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { count } from '../../../kit/figures.ts';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query ParkedNotifications {
    parkedNotifications {
      id
      recipient
      attempts
      reason
      createdAt
    }
  }
`);
const resend = graphql(`
  mutation ResendNotification($input: ResendNotificationInput!) {
    resendNotification(input: $input) {
      id
    }
  }
`);

/** Messages that could not be delivered. */
export function ParkedNotifications() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network' });
  const { send, isSending } = useChange(resend, {
    done: 'The message is sent again.',
    isLoud: true,
    onDone: () => refetch({ requestPolicy: 'network-only' }),
  });
  const parked = result.data?.parkedNotifications ?? [];
  if (!parked.length) return null;
  return (
    <Alert color="red" variant="light" mb="lg" title="Messages that could not be delivered">
      <Stack gap="sm">
        {parked.map(({ id, recipient, attempts, reason, createdAt }) => (
          <Group key={id} justify="space-between">
            <div>
              <Text size="sm">
                <Untrusted text={recipient} />, <When at={createdAt} />, {count(attempts)}{' '}
                {attempts === 1 ? 'attempt' : 'attempts'}
              </Text>
              <Text size="xs">
                <Untrusted text={reason ?? ''} />
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              loading={isSending}
              aria-label={`Send again to ${visible(recipient)}`}
              onClick={() => void send({ input: { id } })}
            >
              Send again
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}
