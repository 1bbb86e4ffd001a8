import { Button, Checkbox, Grid, Group, SegmentedControl, Select, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import { type Problem, problemOf } from '../../../api/problem.ts';
import { useMay } from '../../../kit/me.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { visible } from '../../../kit/visible.ts';
import { MemberPicker } from '../member-picker.tsx';
import { type Explanation, explainCallQuery } from './explain-call-query.ts';
import type { Vocabulary } from './policy-query.ts';
import { TryCallResult } from './try-call-result.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

interface Props {
  configurationId: string;
  text: string;
  check: PolicyCheck;
  vocabulary: Vocabulary;
  /** Selects a range of the text. */
  onShow(start: number, end: number): void;
}

interface Fields {
  kind: 'agent' | 'member';
  agentId: string | null;
  memberId: string;
  tool: string | null;
  args: string;
  isTainted: boolean;
  by: 'live' | 'text';
}

/** Explains what the gate would decide on a call, without making it. */
export function TryCallSection({ configurationId, text, check, vocabulary, onShow }: Props) {
  const client = useClient();
  const [fields, setFields] = useState<Fields>({
    kind: 'agent',
    agentId: vocabulary.agents[0]?.id ?? null,
    memberId: '',
    tool: vocabulary.tools[0]?.name ?? null,
    args: '{}',
    isTainted: false,
    by: 'live',
  });
  const [tried, setTried] = useState<{ of: string; explanation: Explanation } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSending, setSending] = useState(false);
  const { kind, agentId, memberId, tool, args, isTainted, by } = fields;
  const callerId = kind === 'agent' ? agentId : memberId;
  // a change after the result was loaded makes it outdated
  const request = JSON.stringify([fields, by === 'text' ? text : null]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!callerId || !tool) return;
    setSending(true);
    const variables = {
      configurationId,
      callerKind: kind,
      callerId,
      tool,
      arguments: args,
      tainted: isTainted,
      text: by === 'text' ? text : null,
    };
    const { data, error } = await client
      .query(explainCallQuery, variables, { requestPolicy: 'network-only' })
      .toPromise();
    setSending(false);
    setProblem(error ? problemOf(error) : null);
    setTried(data ? { of: request, explanation: data.explainCall } : null);
  };

  return (
    <Section title="Try a call" lead="See which rules decide a call, and why. Nothing runs and nothing is recorded.">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <form onSubmit={submit}>
            <Stack gap="sm">
              {problem && <ProblemNote problem={problem} />}
              <CallFields fields={fields} set={(part) => setFields({ ...fields, ...part })} vocabulary={vocabulary} />
              <Group>
                <Button type="submit" variant="default" loading={isSending} disabled={!callerId || !tool}>
                  Try call
                </Button>
              </Group>
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          {tried && (
            <TryCallResult
              explanation={tried.explanation}
              isOutdated={tried.of !== request}
              statements={check.of === text ? check.statements : []}
              text={text}
              onShow={onShow}
            />
          )}
        </Grid.Col>
      </Grid>
    </Section>
  );
}

interface CallFieldsProps {
  fields: Fields;
  set(part: Partial<Fields>): void;
  vocabulary: Vocabulary;
}

const callerKinds = [
  { value: 'agent' as const, label: 'Agent' },
  { value: 'member' as const, label: 'Person' },
];

function CallFields({ fields, set, vocabulary: { agents, tools } }: CallFieldsProps) {
  const mayListMembers = useMay()('members:manage');
  return (
    <>
      {mayListMembers && (
        <SegmentedControl
          aria-label="Caller"
          data={callerKinds}
          value={fields.kind}
          onChange={(kind) => set({ kind })}
        />
      )}
      {fields.kind === 'agent' ? (
        <Select
          label="Agent"
          data={agents.map(({ id, name }) => ({ value: id, label: visible(name) }))}
          allowDeselect={false}
          value={fields.agentId}
          onChange={(agentId) => set({ agentId })}
          placeholder={agents.length ? undefined : 'No agents yet'}
        />
      ) : (
        <MemberPicker label="Person" value={fields.memberId} onChange={(memberId) => set({ memberId })} />
      )}
      <Select
        label="Tool"
        data={tools.map(({ name }) => ({ value: name, label: visible(name) }))}
        allowDeselect={false}
        searchable
        nothingFoundMessage="No matching tools"
        value={fields.tool}
        onChange={(tool) => set({ tool })}
      />
      <Textarea
        label="Arguments"
        description="A JSON object"
        autosize
        minRows={3}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={fields.args}
        onChange={({ currentTarget: { value } }) => set({ args: value })}
      />
      <Checkbox
        label="The task has read external text"
        checked={fields.isTainted}
        onChange={({ currentTarget: { checked } }) => set({ isTainted: checked })}
      />
      <SegmentedControl
        aria-label="Decide by"
        data={[
          { value: 'live', label: 'Live revision' },
          { value: 'text', label: 'Text in the editor' },
        ]}
        value={fields.by}
        onChange={(by) => set({ by })}
      />
    </>
  );
}
