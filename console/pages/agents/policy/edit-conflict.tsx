import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUserEdit } from '@tabler/icons-react';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { Policy } from './policy-query.ts';
import type { PolicyEdit } from './use-policy-edit.ts';

/** Shown when another person saved while this person has unsaved changes. */
export const EditConflict = ({ policy, edit: { latest, reset, rebase } }: { policy: Policy; edit: PolicyEdit }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconUserEdit aria-hidden />}
    title="Another person changed this policy"
    role="status"
    mb="md"
  >
    <Text size="sm" mb="xs">
      <LatestChange policy={policy} /> Your changes are still here.
    </Text>
    <Group gap="xs">
      <Button size="compact-sm" variant="default" onClick={() => reset(latest)}>
        Use their version
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => rebase(latest)}>
        Keep my version
      </Button>
    </Group>
  </Alert>
);

function LatestChange({ policy: { current, draft } }: { policy: Policy }) {
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
