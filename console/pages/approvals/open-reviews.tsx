import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconUrgent } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { overridesQuery } from './inbox-query.ts';

/** Overridden approvals stay above the list until another member has reviewed them. */
export function OpenReviews() {
  const [{ data }, refetch] = useQuery({ query: overridesQuery });
  useChangeEvents('approval', () => refetch({ requestPolicy: 'network-only' }));
  const open = data?.overridesToReview ?? [];
  if (!open.length) return null;
  return (
    <Alert color="red" variant="light" mb="md" icon={<IconUrgent aria-hidden />} title="Overrides to review">
      <Stack component="ul" gap={4} m={0} p={0} style={{ listStyle: 'none' }}>
        {open.map(({ id, tool, override }) => (
          <Text key={id} component="li" size="sm">
            <Anchor component={Link} to={`/approvals/${id}?show=decided`} inherit>
              <Untrusted text={tool} />
            </Anchor>
            , overridden by <Untrusted text={override?.by.name ?? 'a former member'} /> <When at={override?.at} />
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
