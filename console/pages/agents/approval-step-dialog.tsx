import { Button, Checkbox, Group, Modal, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { ApprovalStep } from './approval-steps-query.ts';
import { EscalationFields } from './escalation-fields.tsx';
import { PermissionFields } from './permission-fields.tsx';
import { duration } from '../../kit/duration.ts';

const mutation = graphql(`
  mutation SaveApprovalStep($input: SaveApprovalStepInput!) {
    saveApprovalStep(input: $input) {
      name
      tier
      approverGroupId
      quorum
      position
      escalatesAfterSeconds
      escalationGroupId
      expiresAfterSeconds
      decidableInSlack
      requiresPasskey
      passkeyWarning
      allowsEdit
      taskGrantMaxUses
    }
  }
`);

interface Props {
  /** The edited step; null: the dialog is closed. */
  step: ApprovalStep | 'new' | null;
  groups: { id: string; name: string }[];
  onClose(): void;
}

export const ApprovalStepDialog = ({ step, groups, onClose }: Props) => (
  <Modal
    opened={step !== null}
    onClose={onClose}
    title={step === 'new' ? 'Create approval step' : `Edit approval step ${step?.name}`}
  >
    {step && <StepForm step={step} groups={groups} onClose={onClose} />}
  </Modal>
);

const newStep: ApprovalStep = {
  name: '',
  tier: 'review',
  approverGroupId: null,
  quorum: 1,
  position: 1,
  escalatesAfterSeconds: null,
  escalationGroupId: null,
  expiresAfterSeconds: 86_400,
  decidableInSlack: false,
  requiresPasskey: false,
  passkeyWarning: null,
  allowsEdit: false,
  taskGrantMaxUses: null,
};
const expiryChoices = [3_600, 14_400, 86_400, 259_200, 604_800];

function StepForm({ step, groups, onClose }: Props & { step: ApprovalStep | 'new' }) {
  const isNew = step === 'new';
  const [values, setValues] = useState(isNew ? newStep : step);
  const { send, problem, isSending } = useChange(mutation, {
    done: ({ saveApprovalStep: { passkeyWarning } }) =>
      passkeyWarning ? `Approval step saved. ${passkeyWarning}` : 'Approval step saved.',
    onDone: onClose,
    onProposed: onClose,
  });
  const { name, tier, approverGroupId, quorum, position, expiresAfterSeconds, requiresPasskey } = values;
  const needed = tier === 'review' ? quorum : 1;
  const decidableInSlack = values.decidableInSlack && needed === 1 && !requiresPasskey;
  const hasEscalation = tier === 'review' && values.escalatesAfterSeconds !== null;
  const escalatesAfterSeconds = hasEscalation ? values.escalatesAfterSeconds : null;
  const escalationGroupId = hasEscalation ? values.escalationGroupId : null;
  const set = (part: Partial<ApprovalStep>) => setValues({ ...values, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const more = { escalatesAfterSeconds, escalationGroupId, requiresPasskey };
    const step = { name, tier, approverGroupId, quorum: needed, position, expiresAfterSeconds, decidableInSlack };
    const taskGrantMaxUses = requiresPasskey ? null : values.taskGrantMaxUses;
    const permitted = { allowsEdit: tier === 'review' && values.allowsEdit, taskGrantMaxUses };
    void send({ input: { ...step, ...more, ...permitted } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !faultOf(problem, 'name') && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          description="Use lowercase letters, digits, and hyphens. Policies refer to this name in @approval."
          required
          disabled={!isNew}
          data-autofocus
          value={name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget: { value } }) => set({ name: value })}
        />
        <Radio.Group
          label="Approval mode"
          value={tier}
          onChange={(chosen) => set({ tier: chosen as ApprovalStep['tier'] })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="review" label="Review: another person approves; requesters can't" />
            <Radio value="confirm" label="Confirm: the responsible person approves" />
          </Stack>
        </Radio.Group>
        <Select
          label="Approvers"
          description="Members of this group, or administrators if no group is selected."
          placeholder="Administrators"
          clearable
          clearButtonProps={{ 'aria-label': 'Approvers: administrators' }}
          data={groups.map(({ id, name }) => ({ value: id, label: visible(name) }))}
          value={approverGroupId}
          onChange={(id) => set({ approverGroupId: id })}
        />
        {tier === 'review' && (
          <NumberInput
            label="Approvals needed"
            description="How many of the approvers have to approve. One denial is enough to deny."
            min={1}
            max={10}
            allowDecimal={false}
            value={quorum}
            error={faultOf(problem, 'quorum')}
            onChange={(count) => set({ quorum: Number(count) || 1 })}
          />
        )}
        <NumberInput
          label="Order"
          description="If a call needs several steps, lower numbers are decided first."
          min={1}
          max={100}
          allowDecimal={false}
          value={position}
          error={faultOf(problem, 'position')}
          onChange={(value) => set({ position: Number(value) || 1 })}
        />
        <Select
          label="Expires after"
          description="Calls are denied if undecided for this long after the step opened."
          allowDeselect={false}
          data={[...new Set([...expiryChoices, expiresAfterSeconds])].map((seconds) => ({
            value: String(seconds),
            label: duration(seconds),
          }))}
          value={String(expiresAfterSeconds)}
          onChange={(seconds) => seconds && set({ expiresAfterSeconds: Number(seconds) })}
        />
        {tier === 'review' && (
          <EscalationFields
            groups={groups}
            seconds={escalatesAfterSeconds}
            groupId={escalationGroupId}
            fault={faultOf(problem, 'escalatesAfterSeconds')}
            onChange={set}
          />
        )}
        <Checkbox
          label="Require a passkey"
          description="Approvers sign each decision with a passkey that they added before the call was requested. Approvers without one can't decide."
          checked={requiresPasskey}
          onChange={({ currentTarget: { checked } }) => set({ requiresPasskey: checked })}
        />
        <Checkbox
          label="Members can decide in Slack"
          description={
            requiresPasskey
              ? 'Not available for steps that require a passkey.'
              : needed === 1
                ? 'Not for destructive tools, or calls that need several steps. Members link their Slack account first.'
                : 'Available for steps that need one approval.'
          }
          disabled={needed > 1 || requiresPasskey}
          checked={decidableInSlack}
          onChange={({ currentTarget: { checked } }) => set({ decidableInSlack: checked })}
        />
        <PermissionFields values={values} problem={problem} onChange={set} />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending}>
            Save step
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
