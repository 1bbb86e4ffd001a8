import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import { type Policy, policyVersions } from './policy-query.ts';
import { Publish } from './publish.tsx';
import type { PolicyCheck } from './use-policy-check.ts';
import { editBaseOf, type PolicyEdit } from './use-policy-edit.ts';

const saveDraft = graphql(`
  mutation SavePolicyDraft($input: SavePolicyDraftInput!) {
    savePolicyDraft(input: $input) {
      text
      basedOn
      savedAt
    }
  }
`);
const discardDraft = graphql(
  `
    mutation DiscardPolicyDraft($id: ID!) {
      discardPolicyDraft(input: { configurationId: $id }) {
        ...PolicyVersions
      }
    }
  `,
  [policyVersions],
);

interface Props {
  configurationId: string;
  policy: Policy;
  edit: PolicyEdit;
  check: PolicyCheck;
  mayManage: boolean;
  refetch(): void;
}

/** The status of the published policy and the draft, with the actions on them. */
export function PolicyActions({ mayManage, ...props }: Props) {
  const { policy, edit } = props;
  return (
    <Group justify="space-between" align="flex-start" mb="md">
      <Text size="sm" c="dimmed" component="div" flex="1 1 18rem">
        <PolicyStatus policy={policy} />
        {edit.isDirty && ' You have unsaved changes.'}
      </Text>
      {mayManage && <PolicyButtons {...props} />}
    </Group>
  );
}

const PolicyStatus = ({ policy: { current, draft } }: { policy: Policy }) => (
  <>
    {current ? (
      <>
        Revision {current.revision} is live. Published by <Untrusted text={current.publisher} />{' '}
        <When at={current.publishedAt} />.
      </>
    ) : (
      'No policy is published. All calls are denied.'
    )}
    {draft && (
      <>
        {' '}
        You are viewing the draft that <Untrusted text={draft.saver} /> saved <When at={draft.savedAt} />. It is not
        live.
      </>
    )}
  </>
);

function PolicyButtons({ configurationId, policy, edit, check, refetch }: Omit<Props, 'mayManage'>) {
  const { text, base, isDirty, rebase, reset } = edit;
  const [isPublishing, publishing] = useDisclosure();
  const saving = useChange(saveDraft, {
    done: 'Draft saved.',
    onDone: ({ savePolicyDraft: { text, basedOn, savedAt } }) => {
      rebase({ text, revision: basedOn, savedAt });
      refetch();
    },
  });
  const discarding = useChange(discardDraft, {
    done: 'Draft discarded.',
    onDone: ({ discardPolicyDraft }) => {
      reset(editBaseOf(discardPolicyDraft));
      refetch();
    },
    isLoud: true,
  });
  const isChanged = text !== policy.current?.text;
  const isValid = check.of === text && !check.errors.length;
  return (
    <>
      <Group gap="xs">
        {policy.draft && (
          <Button
            variant="subtle"
            color="red"
            loading={discarding.isSending}
            onClick={() => discarding.send({ id: configurationId })}
          >
            Discard draft
          </Button>
        )}
        <Button
          variant="default"
          disabled={!isDirty}
          loading={saving.isSending}
          onClick={() =>
            saving.send({ input: { configurationId, text, basedOn: base.revision, replaces: base.savedAt } })
          }
        >
          Save draft
        </Button>
        <Button disabled={!isChanged || !isValid} onClick={publishing.open}>
          Publish…
        </Button>
      </Group>
      {saving.problem && <ProblemNote problem={saving.problem} />}
      <Publish
        configurationId={configurationId}
        current={policy.current}
        text={text}
        basedOn={base.revision}
        opened={isPublishing}
        onClose={publishing.close}
        onPublished={(revision) => {
          rebase({ text, revision, savedAt: null });
          refetch();
        }}
      />
    </>
  );
}
