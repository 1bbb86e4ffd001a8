import { Grid, Skeleton } from '@mantine/core';
import { lazy, Suspense, useRef } from 'react';
import { useMay } from '../../../app/me.tsx';
import type { CedarHandle } from '../../../kit/cedar-editor.tsx';
import { Late } from '../../../kit/loaded.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { BenchActions } from './bench-actions.tsx';
import { Findings } from './findings.tsx';
import { Overtaken } from './overtaken.tsx';
import type { Policy, Vocabulary } from './policy-query.ts';
import { Rules } from './rules.tsx';
import { useCheck } from './use-check.ts';
import { useWorkbench } from './use-workbench.ts';

const CedarEditor = lazy(() => import('../../../kit/cedar-editor.tsx'));

interface Props {
  configurationId: string;
  policy: Policy;
  vocabulary: Vocabulary;
  again(): void;
}

/** Shows the same policy as a list of rules and as Cedar text. */
export function PolicyBench({ configurationId, policy, vocabulary, again }: Props) {
  const mayManage = useMay()('policies:manage');
  const bench = useWorkbench(policy);
  const { check, problem } = useCheck(configurationId, bench.text, vocabulary);
  const editor = useRef<CedarHandle>(null);
  return (
    <>
      <BenchActions
        configurationId={configurationId}
        policy={policy}
        bench={bench}
        check={check}
        mayManage={mayManage}
        again={again}
      />
      {bench.isOvertaken && <Overtaken policy={policy} bench={bench} />}
      {problem && <ProblemNote problem={problem} />}
      <Grid gap="lg" mb="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Rules
            text={bench.text}
            check={check}
            vocabulary={vocabulary}
            onChange={mayManage ? bench.setText : undefined}
            onShow={(start, end) => editor.current?.show(start, end)}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title="Cedar" lead="The policy source. The rules are parsed from it.">
            <Suspense
              fallback={
                <Late>
                  <Skeleton height={260} />
                </Late>
              }
            >
              <CedarEditor
                ref={editor}
                label="Cedar policies"
                value={bench.text}
                onChange={bench.setText}
                errors={check.errors}
                warnings={check.warnings}
                isReadOnly={!mayManage}
              />
            </Suspense>
            <Findings
              check={check}
              isCurrent={check.of === bench.text}
              onShow={(one) => editor.current?.showFinding(one)}
            />
          </Section>
        </Grid.Col>
      </Grid>
      <Unsaved isDirty={bench.isDirty} />
    </>
  );
}
