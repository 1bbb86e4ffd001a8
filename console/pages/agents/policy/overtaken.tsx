import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUserEdit } from '@tabler/icons-react';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { Policy } from './policy-query.ts';
import type { Workbench } from './use-workbench.ts';

/** Said to whoever has typed here while somebody else has saved. */
export const Overtaken = ({ policy, bench: { there, take, goOnFrom } }: { policy: Policy; bench: Workbench }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconUserEdit aria-hidden />}
    title="Somebody else has changed this meanwhile"
    role="status"
    mb="md"
  >
    <Text size="sm" mb="xs">
      <Whose policy={policy} /> What you typed is still here.
    </Text>
    <Group gap="xs">
      <Button size="compact-sm" variant="default" onClick={() => take(there)}>
        Take theirs
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => goOnFrom(there)}>
        Go on with mine
      </Button>
    </Group>
  </Alert>
);

function Whose({ policy: { current, draft } }: { policy: Policy }) {
  if (draft)
    return (
      <>
        <Untrusted text={draft.saver} /> saved a draft <When at={draft.savedAt} />.
      </>
    );
  if (!current) return null;
  return (
    <>
      <Untrusted text={current.publisher} /> published revision {current.revision} <When at={current.publishedAt} />, or
      put the draft away.
    </>
  );
}
