import { Select } from '@mantine/core';
import { visible } from '../../kit/visible.ts';
import type { ApprovalStep } from './approval-steps-query.ts';
import { duration } from '../../kit/duration.ts';

type Escalation = Pick<ApprovalStep, 'escalatesAfterSeconds' | 'escalationGroupId'>;

const timeChoices = [300, 900, 1_800, 3_600, 14_400, 43_200, 86_400];

/** The escalation group of a step, and when it is added. */
export function EscalationFields({
  groups,
  seconds,
  groupId,
  fault,
  onChange,
}: {
  groups: { id: string; name: string }[];
  seconds: number | null;
  groupId: string | null;
  fault?: string;
  onChange(escalation: Partial<Escalation>): void;
}) {
  return (
    <>
      <Select
        label="Escalate after"
        description="If no one decides within this time, the escalation group is added."
        placeholder="Never"
        clearable
        clearButtonProps={{ 'aria-label': 'Escalate after: never' }}
        data={[...new Set([...timeChoices, ...(seconds === null ? [] : [seconds])])].map((choice) => ({
          value: String(choice),
          label: duration(choice),
        }))}
        value={seconds === null ? null : String(seconds)}
        error={fault}
        onChange={(chosen) =>
          onChange(
            chosen
              ? { escalatesAfterSeconds: Number(chosen) }
              : { escalatesAfterSeconds: null, escalationGroupId: null },
          )
        }
      />
      {seconds !== null && (
        <Select
          label="Escalation group"
          description="Members of this group, or administrators if no group is selected."
          placeholder="Administrators"
          clearable
          clearButtonProps={{ 'aria-label': 'Escalation group: administrators' }}
          data={groups.map(({ id, name }) => ({ value: id, label: visible(name) }))}
          value={groupId}
          onChange={(id) => onChange({ escalationGroupId: id })}
        />
      )}
    </>
  );
}
