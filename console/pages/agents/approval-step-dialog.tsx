import { Button, Group, Modal, Radio, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Step } from './approval-steps.tsx';
import { duration } from './duration.ts';

const mutation = graphql(`
  mutation SaveApprovalStep($input: SaveApprovalStepInput!) {
    saveApprovalStep(input: $input) {
      name
      tier
      approverGroupId
      expiresAfterSeconds
    }
  }
`);

interface Props {
  /** Which; null: none, the dialog is closed. */
  step: Step | 'new' | null;
  groups: { id: string; name: string }[];
  onClose(): void;
}

export const ApprovalStepDialog = ({ step, groups, onClose }: Props) => (
  <Modal
    opened={step !== null}
    onClose={onClose}
    title={step === 'new' ? 'New approval step' : `Edit the step ${step?.name}`}
  >
    {step && <StepForm step={step} groups={groups} onClose={onClose} />}
  </Modal>
);

const fresh: Step = { name: '', tier: 'review', approverGroupId: null, expiresAfterSeconds: 86_400 };
const waits = [3_600, 14_400, 86_400, 259_200, 604_800];

function StepForm({ step, groups, onClose }: Props & { step: Step | 'new' }) {
  const isNew = step === 'new';
  const [values, setValues] = useState(isNew ? fresh : step);
  const { send, problem, isSending } = useChange(mutation, { done: 'Saved.', onDone: onClose });
  const { name, tier, approverGroupId, expiresAfterSeconds } = values;
  const set = (part: Partial<Step>) => setValues({ ...values, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { name, tier, approverGroupId, expiresAfterSeconds } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !faultOf(problem, 'name') && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="Lower-case letters, digits and hyphens; what policies write in @approval."
          required
          disabled={!isNew}
          data-autofocus
          value={name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
        <Radio.Group label="How strictly" value={tier} onChange={(chosen) => set({ tier: chosen as Step['tier'] })}>
          <Stack gap="xs" mt="xs">
            <Radio value="review" label="Somebody else reviews: whoever asked never approves" />
            <Radio value="confirm" label="Whoever acts confirms" />
          </Stack>
        </Radio.Group>
        <Select
          label="Who decides"
          description="Members of this group, or the administrators."
          placeholder="Administrators"
          clearable
          clearButtonProps={{ 'aria-label': 'The administrators decide' }}
          data={groups.map(({ id, name }) => ({ value: id, label: visible(name) }))}
          value={approverGroupId}
          onChange={(id) => set({ approverGroupId: id })}
        />
        <Select
          label="Waits for"
          description="A call that nobody decided on by then is denied."
          allowDeselect={false}
          data={[...new Set([...waits, expiresAfterSeconds])].map((seconds) => ({
            value: String(seconds),
            label: duration(seconds),
          }))}
          value={String(expiresAfterSeconds)}
          onChange={(seconds) => seconds && set({ expiresAfterSeconds: Number(seconds) })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
