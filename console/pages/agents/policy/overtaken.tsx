import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUserEdit } from '@tabler/icons-react';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { Policy } from './policy-query.ts';
import type { Workbench } from './use-workbench.ts';

/** Shown when another person saved while this person has unsaved changes. */
export const Overtaken = ({ policy, bench: { there, take, goOnFrom } }: { policy: Policy; bench: Workbench }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconUserEdit aria-hidden />}
    title="Another person changed this policy"
    role="status"
    mb="md"
  >
    <Text size="sm" mb="xs">
      <Whose policy={policy} /> Your changes are still here.
    </Text>
    <Group gap="xs">
      <Button size="compact-sm" variant="default" onClick={() => take(there)}>
        Use their version
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => goOnFrom(there)}>
        Keep my version
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
      <Untrusted text={current.publisher} /> published revision {current.revision} <When at={current.publishedAt} /> or
      discarded the draft.
    </>
  );
}
