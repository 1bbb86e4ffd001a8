import { Alert, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';

const query = graphql(`
  query PasskeyWarnings {
    approvalSteps {
      name
      passkeyWarning
    }
  }
`);

/** Warns of steps in the policy text that too few approvers can decide, because they have no passkey. */
export function PasskeyNotice({ text }: { text: string }) {
  const [{ data }, refetch] = useQuery({ query });
  useChangeEvents(['organization', 'policy'], () => refetch({ requestPolicy: 'network-only' }));
  const unreachable = (data?.approvalSteps ?? []).filter(
    ({ name, passkeyWarning }) => passkeyWarning && text.includes(`@approval("${name}")`),
  );
  return unreachable.map(({ name, passkeyWarning }) => (
    <Alert
      key={name}
      color="yellow"
      variant="light"
      icon={<IconFingerprint aria-hidden />}
      title={`Approvers of step “${name}” need passkeys`}
      mb="md"
    >
      <Text size="sm">{passkeyWarning}</Text>
    </Alert>
  ));
}
