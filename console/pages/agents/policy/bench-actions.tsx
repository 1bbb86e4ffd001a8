import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import type { Policy } from './policy-query.ts';
import { Publish } from './publish.tsx';
import type { Check } from './use-check.ts';
import { baseOf, type Workbench } from './use-workbench.ts';

const saveDraft = graphql(`
  mutation SavePolicyDraft($input: SavePolicyDraftInput!) {
    savePolicyDraft(input: $input) {
      text
      basedOn
      savedAt
    }
  }
`);
const discardDraft = graphql(`
  mutation DiscardPolicyDraft($id: ID!) {
    discardPolicyDraft(input: { configurationId: $id }) {
      current {
        revision
        text
        publisher
        publishedAt
      }
      draft {
        text
        basedOn
        saver
        savedAt
      }
    }
  }
`);

interface Props {
  configurationId: string;
  policy: Policy;
  bench: Workbench;
  check: Check;
  mayManage: boolean;
  again(): void;
}

/** The status of the published policy and the draft, with the actions on them. */
export function BenchActions({ mayManage, ...props }: Props) {
  const { policy, bench } = props;
  return (
    <Group justify="space-between" align="flex-start" mb="md">
      <Text size="sm" c="dimmed" component="div" flex="1 1 18rem">
        <Standing policy={policy} />
        {bench.isDirty && ' You have unsaved changes.'}
      </Text>
      {mayManage && <Buttons {...props} />}
    </Group>
  );
}

const Standing = ({ policy: { current, draft } }: { policy: Policy }) => (
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

function Buttons({ configurationId, policy, bench, check, again }: Omit<Props, 'mayManage'>) {
  const { text, base, isDirty, goOnFrom, take } = bench;
  const [isPublishing, publishing] = useDisclosure();
  const saving = useChange(saveDraft, {
    done: 'Draft saved.',
    onDone: ({ savePolicyDraft: { text, basedOn, savedAt } }) => {
      goOnFrom({ text, revision: basedOn, savedAt });
      again();
    },
  });
  const discarding = useChange(discardDraft, {
    done: 'Draft discarded.',
    onDone: ({ discardPolicyDraft }) => {
      take(baseOf(discardPolicyDraft));
      again();
    },
    isLoud: true,
  });
  const isNew = text !== policy.current?.text;
  const isSound = check.of === text && !check.errors.length;
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
        <Button disabled={!isNew || !isSound} onClick={publishing.open}>
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
          goOnFrom({ text, revision, savedAt: null });
          again();
        }}
      />
    </>
  );
}
