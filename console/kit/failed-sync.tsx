import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Untrusted } from './untrusted.tsx';
import { When } from './when.tsx';

interface FailedFeed {
  trouble: string | null;
  errorDetail: string | null;
  failedAttempts: number;
  isSyncing: boolean;
  nextAt: string;
}

/** The last attempt failed and the next one has not started. */
export const isStalled = ({ trouble, isSyncing }: Pick<FailedFeed, 'trouble' | 'isSyncing'>): boolean =>
  trouble !== null && !isSyncing;

/** What failed, what to do, and when the next attempt starts. */
export function FailedSync({ of }: { of: FailedFeed }) {
  if (!of.errorDetail) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Last sync failed">
      <Text size="sm">
        <Untrusted text={of.errorDetail} />
      </Text>
      <Text size="sm" mt={6}>
        {of.isSyncing ? (
          'A new attempt is running.'
        ) : (
          <>
            Next attempt: <When at={of.nextAt} />.
          </>
        )}{' '}
        {of.failedAttempts > 1 && `${of.failedAttempts} attempts in a row failed. `}
        <Text span size="sm" c="dimmed">{`Code ${of.trouble}`}</Text>
      </Text>
    </Alert>
  );
}
