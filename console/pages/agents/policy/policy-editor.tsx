import { Grid, Skeleton } from '@mantine/core';
import { useRef } from 'react';
import { useMay } from '../../../kit/me.tsx';
import type { CedarHandle } from '../../../kit/cedar-editor.tsx';
import { deferred } from '../../../kit/deferred.tsx';
import { Late } from '../../../kit/loaded.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { PermitProposals } from './permit-proposals.tsx';
import { PolicyActions } from './policy-actions.tsx';
import { Findings } from './findings.tsx';
import { EditConflict } from './edit-conflict.tsx';
import type { Policy, Vocabulary } from './policy-query.ts';
import { PolicyTextActions } from './policy-text-actions.tsx';
import { ReplaySection } from './replay-section.tsx';
import { PasskeyNotice } from './passkey-notice.tsx';
import { ReviewNotice } from './review-notice.tsx';
import { Rules } from './rules.tsx';
import { ShadowSection } from './shadow-section.tsx';
import { TryCallSection } from './try-call-section.tsx';
import { usePolicyCheck } from './use-policy-check.ts';
import { usePolicyEdit } from './use-policy-edit.ts';

const CedarEditor = deferred(
  () => import('../../../kit/cedar-editor.tsx'),
  <Late>
    <Skeleton height={260} />
  </Late>,
);

interface Props {
  configurationId: string;
  /** Of the configuration. */
  name: string;
  policy: Policy;
  vocabulary: Vocabulary;
  refetch(): void;
}

/** Shows the same policy as a list of rules and as Cedar text. */
export function PolicyEditor({ configurationId, name, policy, vocabulary, refetch }: Props) {
  const may = useMay();
  const mayManage = may('policies:manage');
  const edit = usePolicyEdit(policy);
  const { check, problem } = usePolicyCheck(configurationId, edit.text, vocabulary);
  const editor = useRef<CedarHandle>(null);
  return (
    <>
      <PolicyActions
        configurationId={configurationId}
        policy={policy}
        edit={edit}
        check={check}
        mayManage={mayManage}
        refetch={refetch}
      />
      {edit.hasConflict && <EditConflict policy={policy} edit={edit} />}
      {problem && <ProblemNote problem={problem} />}
      <PasskeyNotice text={edit.text} />
      <ReviewNotice
        configurationId={configurationId}
        text={edit.text}
        onChange={mayManage ? edit.setText : undefined}
      />
      <PermitProposals
        configurationId={configurationId}
        mayManage={mayManage}
        hasDraft={policy.draft !== null}
        isDirty={edit.isDirty}
        onDrafted={refetch}
      />
      <Grid gap="lg" mb="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Rules
            text={edit.text}
            check={check}
            vocabulary={vocabulary}
            onChange={mayManage ? edit.setText : undefined}
            onShow={(start, end) => editor.current?.show(start, end)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section
            title="Cedar"
            lead="The policy source. The rules are parsed from it."
            actions={<PolicyTextActions name={name} text={edit.text} onChange={mayManage ? edit.setText : undefined} />}
          >
            <CedarEditor
              ref={editor}
              label="Cedar policies"
              value={edit.text}
              onChange={edit.setText}
              errors={check.errors}
              warnings={check.warnings}
              isReadOnly={!mayManage}
            />
            <Findings
              check={check}
              isCurrent={check.of === edit.text}
              onShow={(one) => editor.current?.showFinding(one)}
            />
          </Section>
        </Grid.Col>
      </Grid>
      <TryCallSection
        configurationId={configurationId}
        text={edit.text}
        check={check}
        vocabulary={vocabulary}
        onShow={(start, end) => editor.current?.show(start, end)}
      />
      {may('audit:read') && (
        <>
          <ReplaySection configurationId={configurationId} text={edit.text} check={check} />
          <ShadowSection configurationId={configurationId} text={edit.text} check={check} mayManage={mayManage} />
        </>
      )}
      <Unsaved isDirty={edit.isDirty} />
    </>
  );
}
